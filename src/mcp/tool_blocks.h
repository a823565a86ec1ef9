/* blocks, for Controllers: which blocks a task has.  Ids, never content (E12). */
#ifndef KH_MCP_TOOL_BLOCKS_H
#define KH_MCP_TOOL_BLOCKS_H

#include "mcp/tool.h"

kh_mcp_tool_fn kh_mcp_tool_blocks_list;

/* Not a tool: makes {"task", "count", "blocks": [...]} of a task, as task.show tells the caller. */
enum kh_err kh_mcp_tool_blocks_of(struct kh_mcp_call *call, struct kh_view task,
				  yyjson_mut_val **ret_object) KH_CHECKED;

#endif
