/* Tools of tasks, for Controllers: task_open, task_status, begin_execution (I1, E1). */
#ifndef KH_MCP_TOOL_TASK_H
#define KH_MCP_TOOL_TASK_H

#include "mcp/tool.h"

kh_mcp_tool_fn kh_mcp_tool_task_open, kh_mcp_tool_task_status;

/* Waits for a human if the plan needs one (A5).  The engine is asked again on a fixed clock, so that the time at
 * which the Controller is told does not depend on when the human decided. */
kh_mcp_tool_fn kh_mcp_tool_task_execute;

#endif
