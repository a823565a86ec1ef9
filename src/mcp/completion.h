/* completion/complete: offers values for an argument whose beginning is given: the ids of the caller's tasks, for
 * the resource templates.  Prompts have no arguments. */
#ifndef KH_MCP_COMPLETION_H
#define KH_MCP_COMPLETION_H

#include "mcp/tool.h"

#define KH_MCP_COMPLETION_MOST 100 /* values of one answer, the limit of MCP */

/*
 * Makes {"completion": {values, total, hasMore}} for PARAMS, those of the request.  KH_EINPUT if they are not valid or
 * name a template or prompt that the caller does not have (-32602).  Uses gateway, token, who, arena, doc and err of
 * CALL.
 */
enum kh_err kh_mcp_completion_run(struct kh_mcp_call *call, yyjson_val *params, yyjson_mut_val **ret_result) KH_CHECKED;

#endif
