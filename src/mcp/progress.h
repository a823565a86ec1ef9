/*
 * Progress on a fixed clock (A5): a notification every KH_MCP_PROGRESS_EVERY from the beginning of a call, if its
 * request has a progressToken, whatever happens to the call meanwhile.  So the times of notifications tell nothing
 * (B17).  The clock is a work of its own beside the steps of the call, so that a long step does not delay it.
 */
#ifndef KH_MCP_PROGRESS_H
#define KH_MCP_PROGRESS_H

#include "mcp/exchange.h"

#define KH_MCP_PROGRESS_EVERY INT64_C(5000000) /* microseconds */

/* Starts the clock of X, which has a progressToken.  If there is no memory, or the gateway stops, no clock starts. */
void kh_mcp_progress_begin(struct kh_mcp_exchange *x);

/* Stops the clock.  No notification is sent after that. */
void kh_mcp_progress_end(struct kh_mcp_exchange *x);

#endif
