/* Tasks over HTTP.  task.show decides, by the caller's role, what is shown of a task. */
#include "http/rest/tasks.h"

#include "engine/context/taskgraph.h"
#include "engine/task/render_task.h"
#include "engine/task/show.h"

enum kh_err kh_rest_tasks_open(struct kh_rest_call *call)
{
	struct kh_task_open task = {
		.title = kh_rest_call_body(call, "title")->text,
		.bits = (uint64_t)kh_rest_call_body(call, "bits")->number,
	};
	enum kh_err e = kh_rest_call_run(call, kh_task_open_run, &task);

	return e == KH_OK ? kh_rest_call_reply_of(call, true, kh_render_task_opened(call->doc, call->arena, &task),
						  task.id)
			  : e;
}

enum kh_err kh_rest_tasks_show(struct kh_rest_call *call)
{
	struct kh_task_show task = {.task = kh_http_request_segment(call->r, "task")};

	return kh_rest_call_show(call, kh_task_show_run, &task, &task.json);
}

enum kh_err kh_rest_tasks_close(struct kh_rest_call *call)
{
	struct kh_task_close task = {.task = kh_http_request_segment(call->r, "task")};
	enum kh_err e = kh_rest_call_run(call, kh_task_close_run, &task);

	return e == KH_OK ? kh_rest_call_reply_of(call, true, kh_render_task_closed(call->doc, &task), task.task) : e;
}

enum kh_err kh_rest_tasks_execute(struct kh_rest_call *call)
{
	struct kh_execute task = {.task = kh_http_request_segment(call->r, "task"), .plan = call->whole};
	enum kh_err e = kh_rest_call_run(call, kh_transition_run, &task);
	bool ended = task.approval.n == 0;

	return e == KH_OK ? kh_rest_call_reply_of(call, ended, kh_render_task_executed(call->doc, &task), task.task)
			  : e;
}

/* The operation finds the blocks; the graph is written here, on the server's thread. */
enum kh_err kh_rest_tasks_graph(struct kh_rest_call *call)
{
	static const char *const types[] = {"application/json", "text/vnd.graphviz", "image/svg+xml"};
	struct kh_taskgraph found = {.task = kh_http_request_segment(call->r, "task")};
	unsigned format = kh_rest_call_query(call, "format")->word;
	struct kh_view text;
	enum kh_err e = kh_rest_call_run(call, kh_taskgraph_run, &found);

	if (e == KH_OK)
		e = kh_graph_write(&found.blocks, call->arena, (enum kh_graph_format)format, &text, &call->err);
	if (e == KH_OK)
		kh_http_reply(call->r, 200, types[format], text, NULL, 0);
	return e;
}
