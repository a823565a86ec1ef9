/*
 * prompts/list and prompts/get (K4): what agents are to be told, by the caller's role: a controller's and a reader's
 * own, and the security policy, which is for both.  Whoever runs agents sees all of them.
 *
 * What comes out is a result without what versions add to every result; the method's dispatcher puts that on.
 */
#ifndef KH_MCP_PROMPTS_H
#define KH_MCP_PROMPTS_H

#include "mcp/tool.h"

/* {"prompts": [{name, title, description}]}.  There are few: one page. */
yyjson_mut_val *kh_mcp_prompts_list(yyjson_mut_doc *doc, enum kh_role role);

/* {"description", "messages": [...]} of the prompt NAME.  KH_EUNKNOWN `unknown_prompt` where ROLE has none of this name
 * (-32602 in every version). */
enum kh_err kh_mcp_prompts_get(yyjson_mut_doc *doc, enum kh_role role, struct kh_view name, yyjson_mut_val **ret_result,
			       struct kh_error *err) KH_CHECKED;

#endif
