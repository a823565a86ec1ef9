/* Tasks over HTTP.  task.show decides, by the caller's role, what is shown of a task. */
#include "http/rest/tasks.h"

#include "engine/task/show.h"
#include "engine/task/task.h"
#include "engine/task/transition.h"

static enum kh_err list(struct kh_rest_call *call)
{
	struct kh_task_list tasks = {
		.all = kh_rest_call_query(call, "all")->number != 0,
		.after = kh_rest_call_query(call, "after")->text,
	};
	struct kh_view next = {NULL, 0};
	enum kh_err e = kh_rest_call_run(call, kh_task_list_run, &tasks);

	if (e == KH_OK)
		e = kh_rest_call_last(call, tasks.json, tasks.more, &next);
	return e == KH_OK ? kh_rest_call_reply_list(call, tasks.json, next) : e;
}

static const struct kh_rest_member list_query[] = {
	{"all", KH_REST_FLAG, .about = "Also tasks that have ended."},
	{"after", KH_REST_ID, .letter = 't', .about = "Those opened after this one: `next` of the page before."},
	{0},
};

static enum kh_err open_task(struct kh_rest_call *call)
{
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_task_open task = {
		.title = kh_rest_call_body(call, "title")->text,
		.bits = (uint64_t)kh_rest_call_body(call, "bits")->number,
	};
	enum kh_err e = kh_rest_call_run(call, kh_task_open_run, &task);

	if (e != KH_OK)
		return e;
	kh_json_add(doc, obj, "id", task.id);
	return kh_rest_call_reply_object(call, 201, obj);
}

static const struct kh_rest_member open_body[] = {
	{"title", KH_REST_TEXT, .about = "For people; up to 200 bytes of visible text."},
	{"bits", KH_REST_NUMBER, .min = 1, .max = INT64_C(1000000000),
	 .about = "The budget in bits; the policy's is the most, and is taken where this is missing."},
	{0},
};

static enum kh_err show(struct kh_rest_call *call)
{
	struct kh_task_show task = {.task = kh_http_request_segment(call->r, "task")};
	enum kh_err e = kh_rest_call_run(call, kh_task_show_run, &task);

	return e == KH_OK ? kh_rest_call_reply(call, task.json) : e;
}

static enum kh_err close_task(struct kh_rest_call *call)
{
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_task_close task = {.task = kh_http_request_segment(call->r, "task")};
	enum kh_err e = kh_rest_call_run(call, kh_task_close_run, &task);

	if (e != KH_OK)
		return e;
	kh_json_add(doc, obj, "id", task.task);
	yyjson_mut_obj_add_str(doc, obj, "state", kh_words_name(&kh_rows_task_words, task.row->state));
	return kh_rest_call_reply_object(call, 200, obj);
}

static enum kh_err execute(struct kh_rest_call *call)
{
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_execute task = {.task = kh_http_request_segment(call->r, "task"), .plan = call->whole};
	enum kh_err e = kh_rest_call_run(call, kh_transition_run, &task);

	if (e != KH_OK)
		return e;
	kh_json_add(doc, obj, "id", task.task);
	yyjson_mut_obj_add_str(doc, obj, "phase", kh_words_name(&kh_phase_words, task.row->phase));
	if (task.approval.n > 0)
		kh_json_add(doc, obj, "approval", task.approval);
	return kh_rest_call_reply_object(call, task.approval.n > 0 ? 202 : 200, obj);
}

static const struct kh_rest_route routes[] = {
	{
		.method = KH_HTTP_GET,
		.path = "/tasks",
		.name = "listTasks",
		.group = "tasks",
		.operation = kh_task_list_run,
		.summary = "List tasks",
		.about = "A controller gets its own, a host those of its contexts, humans all; the oldest first, at "
			 "most 1000 at a time.",
		.query = list_query,
		.status = 200,
		.answer = "TaskList",
		.run = list,
	},
	{
		.method = KH_HTTP_POST,
		.path = "/tasks",
		.name = "openTask",
		.group = "tasks",
		.operation = kh_task_open_run,
		.summary = "Open a task",
		.about = "What budgets hang on, and what content is put into.  It begins in the phase `planning`.",
		.body = open_body,
		.limit = KH_REST_SMALL,
		.status = 201,
		.answer = "TaskOpened",
		.conflicts = true,
		.rated = true,
		.run = open_task,
	},
	{
		.method = KH_HTTP_GET,
		.path = "/tasks/{task}",
		.name = "showTask",
		.group = "tasks",
		.operation = kh_task_show_run,
		.summary = "Show a task",
		.about = "Its state, phase, budget, and the first of its blocks.  How a budget is split, what waits "
			 "for a human, and the labels of blocks are for reviewers and admins alone.",
		.status = 200,
		.answer = "Task",
		.run = show,
	},
	{
		.method = KH_HTTP_POST,
		.path = "/tasks/{task}/close",
		.name = "closeTask",
		.group = "tasks",
		.operation = kh_task_close_run,
		.summary = "Close a task",
		.about = "Open queries fail, and what they reserved is charged; pending approvals are void.  It takes "
			 "nothing any more and stays to be seen.",
		.status = 200,
		.answer = "TaskClosed",
		.conflicts = true,
		.run = close_task,
	},
	{
		.method = KH_HTTP_POST,
		.path = "/tasks/{task}/execution",
		.name = "beginExecution",
		.group = "tasks",
		.operation = kh_transition_run,
		.summary = "Go from planning to execution",
		.about = "With the plan.  202: a human reads the plan first; the same call again, after the approval, "
			 "uses it.",
		.body_schema = "Plan",
		.limit = KH_REST_SMALL,
		.status = 200,
		.answer = "TaskPhase",
		.later = 202,
		.conflicts = true,
		.rated = true,
		.run = execute,
	},
};

const struct kh_rest_route *kh_rest_tasks_routes(size_t *ret_count)
{
	*ret_count = sizeof(routes) / sizeof(routes[0]);
	return routes;
}
