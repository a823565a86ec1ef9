/* Tools of tasks, for Controllers: task_open, task_status, begin_execution (I1, E1). */
#ifndef KH_MCP_TOOL_TASK_H
#define KH_MCP_TOOL_TASK_H

#include "mcp/tool.h"

enum kh_work_next kh_mcp_tool_task_open(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);
enum kh_work_next kh_mcp_tool_task_status(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);

/* Waits for a human if the plan needs one (A5).  The engine is asked again on a fixed clock, so that the time at
 * which the Controller is told does not depend on when the human decided. */
enum kh_work_next kh_mcp_tool_task_execute(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);

#endif
