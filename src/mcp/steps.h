/* The steps of an exchange, from when it was taken to its answer. */
#ifndef KH_MCP_STEPS_H
#define KH_MCP_STEPS_H

#include "mcp/exchange.h"

/* Starts the steps of X; its method, version and id are set.  False: the gateway is stopping, and X still belongs to
 * the caller. */
bool kh_mcp_steps_start(struct kh_mcp_exchange *x) KH_CHECKED;

/* Answers X without a step: with a fault, or with nothing (a notification).  X then belongs to the transport. */
void kh_mcp_steps_refuse(struct kh_mcp_exchange *x, const struct kh_rpc_fault *fault);
void kh_mcp_steps_nothing(struct kh_mcp_exchange *x);

#endif
