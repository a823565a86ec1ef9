/* The prompts of core/block/prompt.h in MCP's form. */
#include "mcp/prompts.h"

static bool is_for(const struct kh_prompt *prompt, enum kh_role role)
{
	switch (role) {
	case KH_ROLE_CONTROLLER:
		return strcmp(prompt->name, "reader") != 0 && strcmp(prompt->name, "supervisor") != 0;
	case KH_ROLE_READER:
		return strcmp(prompt->name, "controller") != 0 && strcmp(prompt->name, "supervisor") != 0;
	case KH_ROLE_SUPERVISOR:
		return strcmp(prompt->name, "supervisor") == 0 || strcmp(prompt->name, KH_PROMPT_POLICY_ID) == 0;
	case KH_ROLE_HOST:
	case KH_ROLE_REVIEWER:
	case KH_ROLE_ADMIN:
		break;
	}
	return true;
}

static const char *title_of(const struct kh_prompt *prompt)
{
	if (strcmp(prompt->name, "controller") == 0)
		return "For a Controller";
	if (strcmp(prompt->name, "supervisor") == 0)
		return "For a Supervisor";
	return strcmp(prompt->name, "reader") == 0 ? "For a Reader" : "Security policy";
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
		yyjson_mut_obj_add_str(doc, obj, "title", title_of(&all[i]));
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
