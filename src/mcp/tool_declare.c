/* Declaring as a tool: the arguments are the declaration, in any form of E3, and its task. */
#include "mcp/tool_declare.h"

#include "engine/comm/call.h"
#include "engine/comm/declare.h"
#include "engine/comm/list.h"
#include "engine/comm/render_declared.h"
#include "mcp/next.h"

#define LISTED 100 /* declarations of a task that are shown */
#define PAGES  50  /* pages of the list that are searched for them */

/* Makes a declaration from the arguments: all of them except `task`. */
static enum kh_err make_declaration(struct kh_mcp_call *call, yyjson_val **ret_declaration)
{
	yyjson_mut_val *obj = yyjson_val_mut_copy(call->doc, call->arguments);

	yyjson_mut_obj_remove_key(obj, "task");
	return kh_json_freeze(call->arena, obj, ret_declaration, call->err);
}

static void add_item(struct kh_mcp_call *call, yyjson_mut_val *list, const struct kh_declare_item *item)
{
	yyjson_mut_val *obj = kh_render_declared_add(call->doc, list, item);
	const char *next = item->ruling == KH_DENY ? kh_mcp_next_find(item->code) : NULL;

	if (next != NULL)
		yyjson_mut_obj_add_str(call->doc, obj, "next", next);
}

enum kh_work_next kh_mcp_tool_declare_run(struct kh_mcp_call *call, struct kh_mcp_result *ret_result)
{
	struct kh_declare declare = {.task = kh_mcp_tool_text(call, "task")};
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);
	enum kh_err e = make_declaration(call, &declare.declaration);

	if (e == KH_OK)
		e = kh_mcp_tool_run(call, kh_declare_run, &declare);
	if (e != KH_OK)
		return kh_mcp_tool_fail(call, ret_result, e);
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(call->doc, obj, "declarations");
	for (size_t i = 0; i < declare.count; i++)
		add_item(call, list, &declare.items[i]);
	yyjson_mut_obj_add_str(call->doc, obj, "next",
			       "Nothing has run. When the task is in its execution phase (begin_execution), call the "
			       "operation's own tool with `declaration` to have it carried out; what has an `approval` "
			       "waits for a human first: tell the user. A `deny` is not asked for in another way.");
	return kh_mcp_tool_done(call, ret_result, obj);
}

/* --- the declarations of a task ----------------------------------------------------------------------------------- */

/* Copies the members of an item of comm.list that an agent may see; all others are left out. */
static void add_listed(struct kh_mcp_call *call, yyjson_mut_val *list, yyjson_val *item)
{
	static const char *const shown[] = {"id", "operation", "parameters", "state", "approval", "block"};
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(call->doc, list);

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		yyjson_val *value = kh_json_get(item, shown[i]);
		if (value != NULL)
			yyjson_mut_obj_add_val(call->doc, obj, shown[i], yyjson_val_mut_copy(call->doc, value));
	}
}

enum kh_err kh_mcp_tool_declare_list(struct kh_mcp_call *call, struct kh_view task, yyjson_mut_val **ret_list)
{
	struct kh_page page = {.task = task};
	yyjson_mut_val *list = yyjson_mut_arr(call->doc);
	yyjson_val *items = NULL, *item;
	size_t i, max, pages = 0;
	enum kh_err e;

	do { /* the newest are on the last page */
		e = kh_mcp_tool_run(call, kh_comm_list_run, &page);
		if (e == KH_OK)
			e = kh_json_read(call->arena, page.json, &items, call->err);
		if (e != KH_OK)
			return e;
		yyjson_arr_foreach (items, i, max, item)
			add_listed(call, list, item);
		page.after = page.next;
	} while (page.next.n > 0 && ++pages < PAGES);
	while (yyjson_mut_arr_size(list) > LISTED)
		yyjson_mut_arr_remove_first(list);
	*ret_list = list;
	return kh_arena_check(call->arena);
}
