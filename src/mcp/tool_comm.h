/* The comm_* tools: declare an external operation and carry it out in one call, or carry out one that was declared
 * before.  A Controller is told its own parameters, how the operation ended, and the id of a sealed block (E12). */
#ifndef KH_MCP_TOOL_COMM_H
#define KH_MCP_TOOL_COMM_H

#include "mcp/tool.h"

/* The tool of every external operation: call->tool says which. */
kh_mcp_tool_fn kh_mcp_tool_comm_run;

/* Has call->kept.operating take up the declaration or approval of this id.  KH_EUNKNOWN `unknown_approval`. */
enum kh_err kh_mcp_tool_comm_take_up(struct kh_mcp_call *call, struct kh_view id) KH_CHECKED;

/*
 * The same for the declaration ID, which must be one of call->tool's operation; what is in GIVEN, an object, must be in
 * its parameters.  KH_EINPUT `operation_differs`, `parameters_differ`; KH_EUNKNOWN `unknown_declaration`.
 */
enum kh_err kh_mcp_tool_comm_take_up_declared(struct kh_mcp_call *call, yyjson_val *given,
					      struct kh_view id) KH_CHECKED;

/* Runs a step of call->kept.operating.  LEARNS: the Controller did not know before that a human decides, so a human
 * is told where (A4). */
enum kh_work_next kh_mcp_tool_comm_step(struct kh_mcp_call *call, bool learns, struct kh_mcp_result *ret_result);

#endif
