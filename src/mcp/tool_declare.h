/* The tool `declare`: an agent says which external operation it will need, before it runs (E3).  Runs nothing. */
#ifndef KH_MCP_TOOL_DECLARE_H
#define KH_MCP_TOOL_DECLARE_H

#include "mcp/tool.h"

kh_mcp_tool_fn kh_mcp_tool_declare_run;

/* Lists the declarations of TASK, the newest 100 at most, as the caller may know them (E12): an array of objects of
 * the part `declaration` of tools.json. */
enum kh_err kh_mcp_tool_declare_list(struct kh_mcp_call *call, struct kh_view task,
				     yyjson_mut_val **ret_list) KH_CHECKED;

#endif
