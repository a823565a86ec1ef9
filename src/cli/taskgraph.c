/* The taint graph of a task on the command line.  The writers of core/block/graph.h escape untrusted text. */
#include "cli/taskgraph.h"

#include "cli/frame.h"
#include "engine/context/taskgraph.h"

struct graph {
	bool dot, svg;
};

static int run(struct kh_frame *f)
{
	const struct graph *a = f->args;
	struct kh_taskgraph call = {.task = kh_view_str(f->words[0])};
	enum kh_graph_format format = a->svg ? KH_GRAPH_SVG : f->options.json ? KH_GRAPH_JSON : KH_GRAPH_DOT;
	struct kh_view text;
	struct kh_buf buf;
	enum kh_err e = KH_OK;

	if (a->dot + a->svg + f->options.json > 1)
		e = kh_error_set(&f->err, KH_EINPUT, "bad_option", "one of --dot, --svg and --json");
	if (e == KH_OK)
		e = kh_engine_call(f->home.engine, f->token, kh_taskgraph_run, &call, &f->arena, &f->err);
	if (e == KH_OK)
		e = kh_graph_write(&call.blocks, &f->arena, format, &text, &f->err);
	if (e != KH_OK)
		return kh_frame_fail(f);
	if (format == KH_GRAPH_JSON)
		return kh_frame_json(f, text);
	kh_buf_init(&buf, &f->arena, text.n);
	kh_buf_add(&buf, text);
	return kh_frame_text(f, &buf);
}

static const struct kh_frame_command command = {
	.name = "task graph",
	.usage = "[OPTION...] TASK",
	.about = "Write the taint graph of a task: its blocks, the outputs that they have influenced, and everything\n"
		 "that influenced one of these; labels and sources, no content.\n",
	.least = 1,
	.most = 1,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_REVIEWER,
	.run = run,
};

int kh_taskgraph_main(int argc, char **argv)
{
	struct graph a = {0};
	const struct kh_option own[] = {
		{"--dot", NULL, "for Graphviz (the default)", .flag = &a.dot},
		{"--svg", NULL, "a picture", .flag = &a.svg},
	};

	return kh_frame_main(&command, own, sizeof(own) / sizeof(own[0]), &a, argc, argv);
}
