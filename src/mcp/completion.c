/* Completion of task ids.  Offers only ids of the caller's own tasks. */
#include "mcp/completion.h"

#include "mcp/prompts.h"
#include "mcp/resources.h"

/* Reads what is to be completed; sets *RET_TASKS if its values are task ids. */
static enum kh_err read_reference(struct kh_mcp_call *call, yyjson_val *ref, struct kh_view argument, bool *ret_tasks)
{
	struct kh_view type = kh_json_str(kh_json_get(ref, "type"));

	*ret_tasks = false;
	if (kh_view_eq(type, KH_LIT("ref/prompt"))) {
		struct kh_view name = kh_json_str(kh_json_get(ref, "name"));
		if (kh_mcp_prompts_find(call->who->role, name) == NULL)
			return kh_error_input(call->err, KH_LIT("ref.name"), "unknown_prompt",
					      "there is no such prompt");
		return KH_OK; /* a prompt has no arguments */
	}
	if (!kh_view_eq(type, KH_LIT("ref/resource")))
		return kh_error_input(call->err, KH_LIT("ref.type"), "bad_value",
				      "expected ref/prompt or ref/resource");
	if (!kh_mcp_resources_has_template(call->who->role, kh_json_str(kh_json_get(ref, "uri"))))
		return kh_error_input(call->err, KH_LIT("ref.uri"), "unknown_resource",
				      "there is no such resource template");
	*ret_tasks = kh_view_eq(argument, KH_LIT("id"));
	return KH_OK;
}

static enum kh_err add_tasks(struct kh_mcp_call *call, struct kh_view prefix, yyjson_mut_val *values, size_t *ret_total)
{
	struct kh_page tasks = {.all = true};
	yyjson_val *array = NULL, *task;
	size_t i, max;
	enum kh_err e = kh_mcp_resources_tasks(call, &tasks, &array);

	if (e != KH_OK)
		return e;
	yyjson_arr_foreach (array, i, max, task) {
		struct kh_view id = kh_json_str(kh_json_get(task, "id"));
		if (!kh_view_starts(id, prefix))
			continue;
		if (yyjson_mut_arr_size(values) < KH_MCP_COMPLETION_MOST)
			yyjson_mut_arr_add_strn(call->doc, values, id.p, id.n);
		(*ret_total)++;
	}
	return KH_OK;
}

enum kh_err kh_mcp_completion_run(struct kh_mcp_call *call, yyjson_mut_val **ret_result)
{
	yyjson_val *argument = kh_json_get(call->arguments, "argument");
	struct kh_view name = kh_json_str(kh_json_get(argument, "name"));
	struct kh_view value = kh_json_str(kh_json_get(argument, "value"));
	yyjson_mut_val *result = yyjson_mut_obj(call->doc);
	yyjson_mut_val *completion = yyjson_mut_obj_add_obj(call->doc, result, "completion");
	yyjson_mut_val *values = yyjson_mut_obj_add_arr(call->doc, completion, "values");
	bool tasks = false;
	size_t total = 0;

	if (name.p == NULL || value.p == NULL)
		return kh_error_input(call->err, KH_LIT("argument"), "missing",
				      "expected an object with name and value");
	enum kh_err e = read_reference(call, kh_json_get(call->arguments, "ref"), name, &tasks);
	if (e == KH_OK && tasks)
		e = add_tasks(call, value, values, &total);
	if (e != KH_OK)
		return e;
	yyjson_mut_obj_add_uint(call->doc, completion, "total", total);
	yyjson_mut_obj_add_bool(call->doc, completion, "hasMore", total > yyjson_mut_arr_size(values));
	*ret_result = result;
	return KH_OK;
}
