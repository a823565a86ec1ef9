/*
 * prompts/list and prompts/get (K4): instructions for agents, by the caller's role.  Controllers, Readers and
 * supervisors see their own and the security policy.  Hosts, reviewers and admins, who run agents, see all of them.
 *
 * The results do not contain the members that versions add to every result; the method's dispatcher adds those.
 */
#ifndef KH_MCP_PROMPTS_H
#define KH_MCP_PROMPTS_H

#include "core/block/prompt.h"
#include "mcp/method.h"

/* {"prompts": [{name, title, description}]}: there are few, one page.  {"description", "messages": [...]} of the prompt
 * `name`; KH_EUNKNOWN `unknown_prompt` if the caller has none of this name (-32602 in every version). */
kh_mcp_method_fn kh_mcp_prompts_list, kh_mcp_prompts_get;

/* Returns NULL if ROLE has no prompt of this name. */
const struct kh_prompt *kh_mcp_prompts_find(enum kh_role role, struct kh_view name);

#endif
