/* A task's taint graph over HTTP.  The operation finds the blocks; the graph is written here, on the server's thread. */
#include "http/rest/graph.h"

#include "engine/context/taskgraph.h"

/* By enum kh_graph_format. */
static const char *const types[] = {"application/json", "text/vnd.graphviz", "image/svg+xml"};
static const struct kh_words format_words = KH_WORDS("json", "dot", "svg");

static enum kh_err graph(struct kh_rest_call *call)
{
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

static const struct kh_rest_member query[] = {
	{"format", KH_REST_WORD, .words = &format_words, .about = "json if it is missing."},
	{0},
};

static const struct kh_rest_route routes[] = {
	{
		.method = KH_HTTP_GET,
		.path = "/tasks/{task}/graph",
		.name = "getTaskGraph",
		.group = "tasks",
		.operation = kh_taskgraph_run,
		.summary = "The taint graph of a task",
		.about = "Its blocks, the outputs that they have influenced, and everything that influenced one of "
			 "these, with labels and sources and without content.  A host gets the sources that it gave "
			 "itself.  409: it has too many blocks, more than 4,096.",
		.query = query,
		.status = 200,
		.answer = "TaskGraph",
		.other_types = {"text/vnd.graphviz", "image/svg+xml"},
		.conflicts = true,
		.run = graph,
	},
};

const struct kh_rest_route *kh_rest_graph_routes(size_t *ret_count)
{
	*ret_count = sizeof(routes) / sizeof(routes[0]);
	return routes;
}
