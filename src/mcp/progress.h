/*
 * Progress on a fixed clock (A5): every KH_MCP_PROGRESS_EVERY from the beginning of a call, where its request has a
 * progressToken, whatever happens to the call meanwhile.  So its time tells nothing (B17): it is a work of its own
 * beside the steps of the call, which a step that takes long does not hold up.
 */
#ifndef KH_MCP_PROGRESS_H
#define KH_MCP_PROGRESS_H

#include "mcp/exchange.h"

#define KH_MCP_PROGRESS_EVERY INT64_C(5000000) /* microseconds */

/* Starts the clock of X, which has a progressToken.  If there is no memory for it, or everything stops, there is none. */
void kh_mcp_progress_begin(struct kh_mcp_exchange *x);

/* Stops it.  Nothing of it is sent after that. */
void kh_mcp_progress_end(struct kh_mcp_exchange *x);

#endif
