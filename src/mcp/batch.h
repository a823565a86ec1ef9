/* Batches (2025-03-26): an array of messages, answered by an array once all of them are answered.  For the
 * transport, the whole is one exchange.  Each request in it is an exchange too, which the transport does not know. */
#ifndef KH_MCP_BATCH_H
#define KH_MCP_BATCH_H

#include "mcp/exchange.h"

#define KH_MCP_BATCH_MESSAGES 64
#define KH_MCP_BATCH_BYTES    (16U << 20) /* of all answers together */

/* Makes WHOLE, an exchange without a step, a batch.  Parts may be added until kh_mcp_batch_begun(). */
bool kh_mcp_batch_begin(struct kh_mcp_exchange *whole) KH_CHECKED;

/* Adds a part.  NULL: out of memory. */
struct kh_mcp_exchange *kh_mcp_batch_add(struct kh_mcp_batch *batch);

/* All parts have been added: the whole may be answered, at once if all of them are.  COMPLETE is false if some
 * messages could not be taken; then the whole is answered with an error. */
void kh_mcp_batch_begun(struct kh_mcp_batch *batch, bool complete);

#endif
