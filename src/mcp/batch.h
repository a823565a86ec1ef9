/*
 * Batches (2025-03-26): an array of messages, answered by an array once all of them are.  The whole is one exchange for
 * the transport; each request in it is one of its own, of which the transport knows nothing.
 */
#ifndef KH_MCP_BATCH_H
#define KH_MCP_BATCH_H

#include "mcp/exchange.h"

#define KH_MCP_BATCH_MESSAGES 64
#define KH_MCP_BATCH_BYTES    (16U << 20) /* of all answers together */

/* Makes WHOLE, an exchange without a step of its own, a batch.  Parts are waited for until kh_mcp_batch_begun(). */
bool kh_mcp_batch_begin(struct kh_mcp_exchange *whole) KH_CHECKED;

/* A new part.  NULL: out of memory. */
struct kh_mcp_exchange *kh_mcp_batch_add(struct kh_mcp_batch *batch);

/* All parts are there: the whole may be answered, at once where they all have been.  Not COMPLETE: some of them could
 * not be taken, and the whole is answered with that. */
void kh_mcp_batch_begun(struct kh_mcp_batch *batch, bool complete);

#endif
