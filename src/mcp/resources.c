/* Resources: each is the result of an operation, or the policy, as JSON. */
#include "mcp/resources.h"

#include "engine/task/show.h"
#include "engine/task/task.h"
#include "mcp/tool_blocks.h"

#define TASKS  "keyhole://tasks"
#define POLICY "keyhole://policy"
#define BLOCKS "/blocks"

/* The roles that have tasks to look at, and those that may read the policy.  A Reader is given an ask and nothing
 * else. */
#define WITH_TASKS                                                                                     \
	(KH_ROLE_BIT(KH_ROLE_CONTROLLER) | KH_ROLE_BIT(KH_ROLE_HOST) | KH_ROLE_BIT(KH_ROLE_REVIEWER) | \
	 KH_ROLE_BIT(KH_ROLE_ADMIN))
#define WITH_POLICY (WITH_TASKS | KH_ROLE_BIT(KH_ROLE_SUPERVISOR))

static bool is_one_of(enum kh_role role, unsigned roles)
{
	return (KH_ROLE_BIT(role) & roles) != 0;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

/* Resources that are always there, and templates of others. */
struct fixed {
	unsigned roles;
	const char *uri, *name, *title, *description;
};

static const struct fixed resources[] = {
	{WITH_POLICY, POLICY, "policy", "The policy in force", "Budgets, rates, what needs a human, what is denied"},
	{WITH_TASKS, TASKS, "tasks", "Tasks", "The open tasks, in short"},
};

static const struct fixed templates[] = {
	{WITH_TASKS, TASKS "/{id}", "task", "A task", "Budget, phase, taint, blocks"},
	{WITH_TASKS, TASKS "/{id}" BLOCKS, "blocks", "The blocks of a task",
	 "Their ids and kinds, never their content"},
};

static void add(struct kh_mcp_call *call, yyjson_mut_val *list, const char *key, struct kh_view uri,
		struct kh_view name, struct kh_view title, const char *description)
{
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(call->doc, list);

	kh_json_add(call->doc, obj, key, uri);
	kh_json_add(call->doc, obj, "name", name);
	if (title.n > 0)
		kh_json_add(call->doc, obj, "title", title);
	yyjson_mut_obj_add_str(call->doc, obj, "description", description);
	yyjson_mut_obj_add_str(call->doc, obj, "mimeType", "application/json");
}

static void add_fixed(struct kh_mcp_call *call, yyjson_mut_val *list, const char *key, const struct fixed all[2])
{
	for (size_t i = 0; i < 2; i++)
		if (is_one_of(call->who->role, all[i].roles))
			add(call, list, key, kh_view_str(all[i].uri), kh_view_str(all[i].name),
			    kh_view_str(all[i].title), all[i].description);
}

static void add_task(struct kh_mcp_call *call, yyjson_mut_val *list, yyjson_val *task)
{
	struct kh_view id = kh_json_str(kh_json_get(task, "id"));

	add(call, list, "uri", kh_arena_printf(call->arena, TASKS "/%.*s", KH_FMT(id)), id,
	    kh_json_str(kh_json_get(task, "title")), "A task: budget, phase, taint, blocks");
}

enum kh_err kh_mcp_resources_tasks(struct kh_mcp_call *call, struct kh_page *tasks, yyjson_val **ret_array)
{
	enum kh_err e = kh_mcp_tool_run(call, kh_task_list_run, tasks);

	return e == KH_OK ? kh_json_read(call->arena, tasks->json, ret_array, call->err) : e;
}

/* Adds one page of the tasks after AFTER.  *RET_LAST: the last task on the page, if there are more. */
static enum kh_err add_tasks(struct kh_mcp_call *call, struct kh_view after, yyjson_mut_val *list,
			     struct kh_view *ret_last)
{
	struct kh_page tasks = {.after = after};
	yyjson_val *array = NULL, *task, *last = NULL;
	enum kh_err e = kh_mcp_resources_tasks(call, &tasks, &array);
	yyjson_arr_iter iter = yyjson_arr_iter_with(array);

	for (size_t i = 0; i < KH_MCP_RESOURCES_PAGE && (task = yyjson_arr_iter_next(&iter)) != NULL; i++) {
		add_task(call, list, task);
		last = task;
	}
	if (yyjson_arr_iter_has_next(&iter) || tasks.next.n > 0)
		*ret_last = kh_json_str(kh_json_get(last, "id"));
	return e;
}

enum kh_err kh_mcp_resources_list(struct kh_mcp_call *call, yyjson_mut_val **ret_result)
{
	yyjson_val *after = kh_json_get(call->arguments, "cursor");
	struct kh_view cursor = kh_json_str(after), last = {NULL, 0};
	yyjson_mut_val *result = yyjson_mut_obj(call->doc);
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(call->doc, result, "resources");
	bool has_tasks = is_one_of(call->who->role, WITH_TASKS);

	if (after != NULL && !yyjson_is_str(after))
		return kh_error_set(call->err, KH_EINPUT, "bad_cursor", "params.cursor is a string");
	if (cursor.n == 0)
		add_fixed(call, list, "uri", resources);
	enum kh_err e = has_tasks ? add_tasks(call, cursor, list, &last) : KH_OK;
	/* A cursor is the last task of the page before; a task that the caller does not have is not a cursor. */
	if (e == KH_EUNKNOWN || (cursor.n > 0 && !has_tasks))
		return kh_error_set(call->err, KH_EINPUT, "bad_cursor", "the cursor is not one of this list");
	if (last.n > 0)
		kh_json_add(call->doc, result, "nextCursor", last);
	*ret_result = result;
	return e;
}

enum kh_err kh_mcp_resources_templates(struct kh_mcp_call *call, yyjson_mut_val **ret_result)
{
	yyjson_mut_val *result = yyjson_mut_obj(call->doc);

	add_fixed(call, yyjson_mut_obj_add_arr(call->doc, result, "resourceTemplates"), "uriTemplate", templates);
	*ret_result = result;
	return KH_OK;
}

bool kh_mcp_resources_has_template(enum kh_role role, struct kh_view uri)
{
	for (size_t i = 0; i < 2; i++)
		if (is_one_of(role, templates[i].roles) && kh_view_eq(uri, kh_view_str(templates[i].uri)))
			return true;
	return false;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static enum kh_err read_tasks(struct kh_mcp_call *call, struct kh_view *ret_json)
{
	struct kh_page tasks = {0};
	enum kh_err e = kh_mcp_tool_run(call, kh_task_list_run, &tasks);

	if (e == KH_OK)
		*ret_json = kh_arena_printf(call->arena, "{\"tasks\":%.*s,\"more\":%s}", KH_FMT(tasks.json),
					    tasks.next.n > 0 ? "true" : "false");
	return e;
}

static enum kh_err read_task(struct kh_mcp_call *call, struct kh_view id, struct kh_view *ret_json)
{
	struct kh_task_show show = {.task = id};
	enum kh_err e = kh_mcp_tool_run(call, kh_task_show_run, &show);

	if (e == KH_OK)
		*ret_json = show.json;
	return e;
}

static enum kh_err read_blocks(struct kh_mcp_call *call, struct kh_view id, struct kh_view *ret_json)
{
	yyjson_mut_val *obj = NULL;
	enum kh_err e = kh_mcp_tool_blocks_of(call, id, &obj);

	return e == KH_OK ? kh_json_write(call->arena, obj, ret_json) : e;
}

/* Reads the text of URI; KH_EUNKNOWN if the caller has no such resource. */
static enum kh_err read_uri(struct kh_mcp_call *call, struct kh_view uri, struct kh_view *ret_json)
{
	struct kh_view rest = kh_view_from(uri, sizeof(TASKS)); /* behind the slash */

	if (kh_view_eq(uri, KH_LIT(POLICY)))
		return !is_one_of(call->who->role, WITH_POLICY)
			       ? KH_EUNKNOWN
			       : kh_policy_json(call->arena, kh_engine_policy(kh_gateway_engine(call->gateway)),
						ret_json, call->err);
	if (!is_one_of(call->who->role, WITH_TASKS))
		return KH_EUNKNOWN;
	if (kh_view_eq(uri, KH_LIT(TASKS)))
		return read_tasks(call, ret_json);
	if (!kh_view_starts(uri, KH_LIT(TASKS "/")))
		return KH_EUNKNOWN;
	if (kh_view_ends(rest, KH_LIT(BLOCKS)))
		return read_blocks(call, kh_view_sub(rest, 0, rest.n - (sizeof(BLOCKS) - 1)), ret_json);
	return read_task(call, rest, ret_json);
}

enum kh_err kh_mcp_resources_read(struct kh_mcp_call *call, struct kh_view uri, yyjson_mut_val **ret_result)
{
	yyjson_mut_val *result = yyjson_mut_obj(call->doc), *content;
	struct kh_view json = {NULL, 0};

	enum kh_err e = read_uri(call, uri, &json);
	if (e == KH_EUNKNOWN)
		return kh_error_set(call->err, KH_EUNKNOWN, "unknown_resource",
				    "there is no such resource; resources/list names them");
	if (e == KH_OK)
		e = kh_arena_check(call->arena);
	if (e != KH_OK)
		return e;
	content = yyjson_mut_arr_add_obj(call->doc, yyjson_mut_obj_add_arr(call->doc, result, "contents"));
	kh_json_add(call->doc, content, "uri", uri);
	yyjson_mut_obj_add_str(call->doc, content, "mimeType", "application/json");
	kh_json_add(call->doc, content, "text", json);
	*ret_result = result;
	return kh_arena_check(call->arena);
}

int kh_mcp_resources_missing(enum kh_rpc_version version)
{
	return kh_rpc_version_is_stateless(version) ? -32602 : -32002;
}
