/* The prompts of core/block/prompt.h in MCP's form. */
#include "mcp/prompts.h"

#define RUN_AGENTS (KH_ROLE_BIT(KH_ROLE_HOST) | KH_ROLE_BIT(KH_ROLE_REVIEWER) | KH_ROLE_BIT(KH_ROLE_ADMIN))

/* Of every prompt: its title, and who sees it besides those who run agents.  The last row is for all others. */
static const struct {
	const char *name, *title;
	unsigned roles;
} rows[] = {
	{"controller", "For a Controller", KH_ROLE_BIT(KH_ROLE_CONTROLLER)},
	{"reader", "For a Reader", KH_ROLE_BIT(KH_ROLE_READER)},
	{"supervisor", "For a Supervisor", KH_ROLE_BIT(KH_ROLE_SUPERVISOR)},
	{"verifier", "For a model that verifies calls", 0},
	{KH_PROMPT_POLICY_ID, "Security policy", ~0U},
};

static size_t row_of(const struct kh_prompt *prompt)
{
	size_t i = 0;

	while (i + 1 < sizeof(rows) / sizeof(rows[0]) && strcmp(rows[i].name, prompt->name) != 0)
		i++;
	return i;
}

static bool is_for(const struct kh_prompt *prompt, enum kh_role role)
{
	return ((rows[row_of(prompt)].roles | RUN_AGENTS) & KH_ROLE_BIT(role)) != 0;
}

enum kh_err kh_mcp_prompts_list(struct kh_mcp_call *call, yyjson_mut_val **ret_result)
{
	yyjson_mut_doc *doc = call->doc;
	yyjson_mut_val *result = yyjson_mut_obj(doc), *list = yyjson_mut_obj_add_arr(doc, result, "prompts");
	size_t count = 0;
	const struct kh_prompt *all = kh_prompt_all(&count);

	for (size_t i = 0; i < count; i++) {
		if (!is_for(&all[i], call->who->role))
			continue;
		yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, list);
		yyjson_mut_obj_add_str(doc, obj, "name", all[i].name);
		yyjson_mut_obj_add_str(doc, obj, "title", rows[row_of(&all[i])].title);
		yyjson_mut_obj_add_str(doc, obj, "description", all[i].description);
	}
	*ret_result = result;
	return KH_OK;
}

const struct kh_prompt *kh_mcp_prompts_find(enum kh_role role, struct kh_view name)
{
	const struct kh_prompt *prompt = kh_prompt_find(name);

	return prompt != NULL && is_for(prompt, role) ? prompt : NULL;
}

enum kh_err kh_mcp_prompts_get(struct kh_mcp_call *call, yyjson_mut_val **ret_result)
{
	struct kh_view name = kh_json_str(kh_json_get(call->arguments, "name"));
	const struct kh_prompt *prompt = kh_mcp_prompts_find(call->who->role, name);
	yyjson_mut_doc *doc = call->doc;
	yyjson_mut_val *result = yyjson_mut_obj(doc);

	if (name.p == NULL)
		return kh_error_set(call->err, KH_EINPUT, "bad_params", "params.name is a string");
	if (prompt == NULL)
		return kh_error_set(call->err, KH_EUNKNOWN, "unknown_prompt",
				    "there is no such prompt; prompts/list names them");
	yyjson_mut_obj_add_str(doc, result, "description", prompt->description);
	yyjson_mut_val *message = yyjson_mut_arr_add_obj(doc, yyjson_mut_obj_add_arr(doc, result, "messages"));
	yyjson_mut_obj_add_str(doc, message, "role", "user");
	yyjson_mut_val *content = yyjson_mut_obj_add_obj(doc, message, "content");
	yyjson_mut_obj_add_str(doc, content, "type", "text");
	kh_json_add(doc, content, "text", prompt->text);
	*ret_result = result;
	return KH_OK;
}
