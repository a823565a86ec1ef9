/* Tasks as tools.  A Controller is told of a task what task.show tells it. */
#include "mcp/tool_task.h"

#include "base/alloc.h"
#include "engine/task/render_task.h"
#include "engine/task/show.h"
#include "mcp/tool_declare.h"

#define CLOCK INT64_C(5000000) /* microseconds between two looks at whether a plan was approved */

/* --- open, status ------------------------------------------------------------------------------------------------- */

enum kh_work_next kh_mcp_tool_task_open(struct kh_mcp_call *call, struct kh_mcp_result *ret_result)
{
	struct kh_task_open open = {.title = kh_mcp_tool_text(call, "title")};
	int64_t bits = 0;

	if (kh_json_int(kh_json_get(call->arguments, "bits"), &bits))
		open.bits = (uint64_t)bits;
	enum kh_err e = kh_mcp_tool_run(call, kh_task_open_run, &open);
	if (e != KH_OK)
		return kh_mcp_tool_fail(call, ret_result, e);
	return kh_mcp_tool_done(call, ret_result, kh_render_task_opened(call->doc, call->arena, &open));
}

/* Adds the task as task.show tells it, with its declarations as one more member: as JSON texts, which are not
 * parsed. */
static enum kh_err show_one(struct kh_mcp_call *call, struct kh_view task, yyjson_mut_val *list)
{
	struct kh_task_show show = {.task = task};
	yyjson_mut_val *declarations = NULL;
	struct kh_view text = {NULL, 0};
	enum kh_err e = kh_mcp_tool_run(call, kh_task_show_run, &show);

	if (e == KH_OK)
		e = kh_mcp_tool_declare_list(call, task, &declarations);
	if (e == KH_OK)
		e = kh_json_write(call->arena, declarations, &text);
	if (e != KH_OK)
		return e;
	struct kh_view whole = kh_arena_printf(call->arena, "%.*s,\"declarations\":%.*s}", (int)(show.json.n - 1),
					       show.json.p, KH_FMT(text));
	yyjson_mut_arr_append(list, yyjson_mut_rawn(call->doc, whole.p, whole.n));
	return kh_arena_check(call->arena);
}

enum kh_work_next kh_mcp_tool_task_status(struct kh_mcp_call *call, struct kh_mcp_result *ret_result)
{
	struct kh_view task = kh_mcp_tool_text(call, "task");
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);
	struct kh_page list = {.all = false};
	enum kh_err e;

	if (task.p != NULL) {
		e = show_one(call, task, yyjson_mut_obj_add_arr(call->doc, obj, "tasks"));
	} else {
		list.after = kh_mcp_tool_text(call, "after");
		e = kh_mcp_tool_run(call, kh_task_list_run, &list);
		kh_json_add_raw(call->doc, obj, "tasks", list.json);
	}
	yyjson_mut_obj_add_bool(call->doc, obj, "more", list.next.n > 0);
	return kh_mcp_tool_end(call, ret_result, e, obj);
}

/* --- begin_execution ---------------------------------------------------------------------------------------------- */

/* Kept over a wait: the times, in kept.next, and the call's own arguments as text, in `lasting`, because the engine
 * must see the same plan again. */

/* Makes the arguments for the engine: the task, and a plan with the members of E1. */
static yyjson_mut_val *make_plan(struct kh_mcp_call *call)
{
	yyjson_mut_val *root = yyjson_mut_obj(call->doc), *plan = yyjson_mut_obj(call->doc);
	yyjson_val *operations = kh_json_get(call->arguments, "required_operations");

	kh_json_add(call->doc, plan, "plan", kh_mcp_tool_text(call, "plan"));
	yyjson_mut_obj_add_val(call->doc, plan, "required_operations",
			       operations != NULL ? yyjson_val_mut_copy(call->doc, operations)
						  : yyjson_mut_arr(call->doc));
	kh_json_add(call->doc, root, "task", kh_mcp_tool_text(call, "task"));
	yyjson_mut_obj_add_val(call->doc, root, "plan", plan);
	return root;
}

static enum kh_err keep(struct kh_mcp_call *call, yyjson_mut_val *made)
{
	struct kh_view text;
	enum kh_err e = kh_json_write(call->arena, made, &text);
	char *copy = e == KH_OK ? kh_alloc_zero(kh_engine_alloc(kh_gateway_engine(call->gateway)), text.n) : NULL;

	if (copy == NULL)
		return KH_ENOMEM;
	memcpy(copy, text.p, text.n);
	call->lasting = kh_view_of(copy, text.n);
	return KH_OK;
}

static enum kh_work_next tell(struct kh_mcp_call *call, struct kh_mcp_result *ret_result,
			      const struct kh_execute *execute)
{
	yyjson_mut_val *obj = kh_render_task_executed(call->doc, execute);
	bool pending = execute->approval.n > 0;

	yyjson_mut_obj_add_str(call->doc, obj, "outcome", pending ? "pending" : "execution");
	if (pending)
		yyjson_mut_obj_add_str(call->doc, obj, "next",
				       "A human reads the plan first. Tell the user that it waits, then call "
				       "begin_execution again with exactly the same task, plan and operations.");
	return kh_mcp_tool_done(call, ret_result, obj);
}

/* Waits until the next tick of the call's own clock.  A step that comes for another reason does nothing. */
static enum kh_work_next wait_for_tick(struct kh_mcp_call *call)
{
	call->work->wake_at = call->kept.next.look_at < call->kept.next.until ? call->kept.next.look_at
									      : call->kept.next.until;
	return KH_WORK_WAIT;
}

enum kh_work_next kh_mcp_tool_task_execute(struct kh_mcp_call *call, struct kh_mcp_result *ret_result)
{
	int64_t now = kh_works_now(), *until = &call->kept.next.until, *look_at = &call->kept.next.look_at;
	bool first = call->lasting.p == NULL;
	yyjson_mut_val *made = first ? make_plan(call) : NULL;
	yyjson_val *root = NULL;
	enum kh_err e = KH_OK;

	if (!first && now < *look_at && now < *until && !call->stopping)
		return wait_for_tick(call);
	if (first)
		*until = now + kh_gateway_wait(call->gateway);
	e = first ? kh_json_freeze(call->arena, made, &root, call->err)
		  : kh_json_read(call->arena, call->lasting, &root, call->err);
	struct kh_execute ask = {.task = kh_json_str(kh_json_get(root, "task")), .plan = kh_json_get(root, "plan")};
	if (e == KH_OK)
		e = kh_mcp_tool_run(call, kh_transition_run, &ask);
	bool waits = e == KH_OK && ask.approval.n > 0 && now < *until && !call->stopping;
	if (waits && first)
		e = keep(call, made);
	if (waits && e == KH_OK) {
		*look_at = now + CLOCK;
		kh_asking_keep(call->approval, ask.approval);
		return wait_for_tick(call);
	}
	return e == KH_OK ? tell(call, ret_result, &ask) : kh_mcp_tool_fail(call, ret_result, e);
}
