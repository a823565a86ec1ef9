/*
 * completion/complete: what an argument could be, by the beginning that is there: the ids of the caller's tasks, for
 * the resource templates.  Prompts have no arguments.
 */
#ifndef KH_MCP_COMPLETION_H
#define KH_MCP_COMPLETION_H

#include "mcp/tool.h"

#define KH_MCP_COMPLETION_MOST 100 /* values of one answer, as MCP has it */

/*
 * {"completion": {values, total, hasMore}} for PARAMS, those of the request.  KH_EINPUT where they are no good or name
 * a template or prompt that the caller has not (-32602).  Of CALL gateway, token, who, arena, doc and err are used.
 */
enum kh_err kh_mcp_completion_run(struct kh_mcp_call *call, yyjson_val *params, yyjson_mut_val **ret_result) KH_CHECKED;

#endif
