/* The steps of an exchange, from when it was taken to its answer. */
#ifndef KH_MCP_STEPS_H
#define KH_MCP_STEPS_H

#include "mcp/exchange.h"

/* Has the steps of X begin; its method, version and id are set.  False: the gateway is stopping, and X is the
 * caller's. */
bool kh_mcp_steps_start(struct kh_mcp_exchange *x) KH_CHECKED;

/* Answers X without a step: with a fault, or with nothing (a notification).  X is the transport's then. */
void kh_mcp_steps_refuse(struct kh_mcp_exchange *x, const struct kh_rpc_fault *fault);
void kh_mcp_steps_nothing(struct kh_mcp_exchange *x);

#endif
