/*
 * resources/list, resources/templates/list, resources/read: what can be looked at without a tool.
 *
 *     keyhole://tasks               the caller's tasks
 *     keyhole://tasks/{id}          one of them, as task.show tells the caller (a Controller: no more than it may know)
 *     keyhole://tasks/{id}/blocks   its blocks: ids, never content
 *     keyhole://policy              the policy in force
 *
 * All are JSON.  Every read is an operation with the caller's token, or public to its role; a Reader has none of them.
 * The results do not contain the members that versions add to every result.
 */
#ifndef KH_MCP_RESOURCES_H
#define KH_MCP_RESOURCES_H

#include "engine/task/task.h"
#include "mcp/method.h"

#define KH_MCP_RESOURCES_PAGE 100 /* resources of one page of a list */

/* {"resources": [...], "nextCursor"?}; KH_EINPUT `bad_cursor` if `cursor` is not one of ours (-32602).
 * {"resourceTemplates": [...]}, one page. */
kh_mcp_method_fn kh_mcp_resources_list, kh_mcp_resources_templates;

/* True if ROLE has this template. */
bool kh_mcp_resources_has_template(enum kh_role role, struct kh_view uri);

/* Makes {"contents": [{uri, mimeType, text}]}.  KH_EUNKNOWN `unknown_resource` if the caller has none of this URI. */
enum kh_err kh_mcp_resources_read(struct kh_mcp_call *call, struct kh_view uri, yyjson_mut_val **ret_result) KH_CHECKED;

/* Reads the caller's tasks that TASKS asks for, for their ids. */
enum kh_err kh_mcp_resources_tasks(struct kh_mcp_call *call, struct kh_page *tasks, yyjson_val **ret_array) KH_CHECKED;

/* Returns the JSON-RPC code with which VERSION says that there is no such resource; `data` is {"uri": ...} then. */
int kh_mcp_resources_missing(enum kh_rpc_version version);

#endif
