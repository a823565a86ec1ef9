/*
 * prompts/list and prompts/get (K4): instructions for agents, by the caller's role.  Controllers, Readers and
 * supervisors see their own and the security policy.  Hosts, reviewers and admins, who run agents, see all of them.
 *
 * The results do not contain the members that versions add to every result; the method's dispatcher adds those.
 */
#ifndef KH_MCP_PROMPTS_H
#define KH_MCP_PROMPTS_H

#include "mcp/tool.h"

/* {"prompts": [{name, title, description}]}.  There are few: one page. */
yyjson_mut_val *kh_mcp_prompts_list(yyjson_mut_doc *doc, enum kh_role role);

/* Makes {"description", "messages": [...]} of the prompt NAME.  KH_EUNKNOWN `unknown_prompt` if ROLE has none of
 * this name (-32602 in every version). */
enum kh_err kh_mcp_prompts_get(yyjson_mut_doc *doc, enum kh_role role, struct kh_view name, yyjson_mut_val **ret_result,
			       struct kh_error *err) KH_CHECKED;

#endif
