/* Tasks on the command line.  Content that is added to a task is sealed, and nothing here writes it out again. */
#include "cli/tasks.h"

#include "cli/listing.h"
#include "engine/context/put.h"
#include "engine/context/taskgraph.h"
#include "engine/task/render_task.h"
#include "engine/task/show.h"

#define PLAN_LIMIT    (64U << 10)
#define CONTENT_LIMIT (16U << 20)

/* --- open --------------------------------------------------------------------------------------------------------- */

int kh_tasks_open(struct kh_frame *f)
{
	const struct kh_tasks_args *a = f->args;
	struct kh_task_open call = {.title = kh_view_str(f->count > 0 ? f->words[0] : ""), .bits = a->bits};

	if (kh_frame_call(f, kh_task_open_run, &call) != KH_OK)
		return kh_frame_fail(f);
	return f->options.json ? kh_frame_object(f, kh_render_task_opened(kh_json_new(&f->arena), &f->arena, &call))
			       : kh_frame_json(f, call.id);
}

/* --- show --------------------------------------------------------------------------------------------------------- */

static uint64_t microbits(yyjson_val *task, const char *path)
{
	int64_t n = 0;

	return kh_json_int(kh_table_member(task, kh_view_str(path)), &n) && n > 0 ? (uint64_t)n : 0;
}

void kh_tasks_budget(struct kh_buf *buf, yyjson_val *task)
{
	struct kh_view left = kh_table_bits(buf->arena, microbits(task, "budget.microbits.remaining"));
	struct kh_view all = kh_table_bits(buf->arena, microbits(task, "budget.microbits.budget"));
	struct kh_view words = kh_table_cell(buf->arena, kh_json_get(task, "words"), KH_TABLE_TEXT);

	left.n = left.n > 5 ? left.n - 5 : 0; /* without " bits" */
	kh_buf_printf(buf, "budget       %.*s of %.*s, %.*s\n", KH_FMT(left), KH_FMT(all), KH_FMT(words));
}

/* "3 of 8" of a member with `used` and `limit`, each divided by UNIT. */
static void print_used(struct kh_buf *buf, yyjson_val *task, const char *member, int64_t unit, const char *name)
{
	yyjson_val *of = kh_json_get(task, member);
	int64_t used = 0, limit = 0;

	if (kh_json_int(kh_json_get(of, "used"), &used) && kh_json_int(kh_json_get(of, "limit"), &limit))
		kh_buf_printf(buf, "%lld of %lld%s\n", (long long)(used + unit - 1) / unit, (long long)(limit / unit),
			      name);
}

static void print_limits(struct kh_buf *buf, yyjson_val *task)
{
	struct kh_view words = kh_table_cell(buf->arena, kh_table_member(task, KH_LIT("last_24_hours.words")),
					     KH_TABLE_TEXT);

	kh_buf_lit(buf, "escalations  ");
	print_used(buf, task, "escalations", 1, "");
	kh_buf_lit(buf, "put in       ");
	print_used(buf, task, "put_bytes", 1024, " KiB");
	kh_buf_lit(buf, "reader words ");
	print_used(buf, task, "reader_egress", 1024, " KiB");
	kh_buf_printf(buf, "token        %.*s\n", KH_FMT(words));
}

static void print_blocks(struct kh_buf *buf, yyjson_val *task)
{
	kh_buf_byte(buf, '\n');
	kh_table_list(buf, kh_json_get(task, "blocks"), "BLOCK: id; KIND: kind; TAINT: taint; SOURCE: source",
		      "No content yet: `keyhole task add TASK FILE` puts some in.");
}

static void print_task(struct kh_buf *buf, yyjson_val *task)
{
	kh_table_object(buf, task,
			"task       : id; title: title; state: state; reason: reason; phase: phase; taint: taint;"
			"context: context; opened: opened_at time; ended: ended_at time; queries: queries");
	kh_tasks_budget(buf, task);
	print_limits(buf, task);
	print_blocks(buf, task);
	if (yyjson_arr_size(kh_json_get(task, "approvals")) > 0)
		kh_buf_lit(buf, "\nA human is waited for:\n");
	kh_table_commands(buf, kh_json_get(task, "approvals"), "approvals show");
}

int kh_tasks_show(struct kh_frame *f)
{
	struct kh_task_show call = {.task = kh_view_str(f->words[0])};

	return kh_frame_show(f, kh_task_show_run, &call, &call.json, print_task);
}

/* --- list --------------------------------------------------------------------------------------------------------- */

int kh_tasks_list(struct kh_frame *f)
{
	const struct kh_tasks_args *a = f->args;
	struct kh_page call = {.all = a->all};

	return kh_listing_write(f, kh_task_list_run, &call, "tasks",
				"TASK: id; STATE: state; PHASE: phase; OPENED: opened_at time; LEFT: "
				"budget.microbits.remaining bits;"
				"QUERIES: queries; WAITING: pending; TITLE: title",
				"No open tasks: `keyhole task open` opens one, --all lists those that have ended.");
}

/* --- close -------------------------------------------------------------------------------------------------------- */

int kh_tasks_close(struct kh_frame *f)
{
	struct kh_task_close call = {.task = kh_view_str(f->words[0])};

	if (kh_frame_call(f, kh_task_close_run, &call) != KH_OK)
		return kh_frame_fail(f);
	return f->options.json ? kh_frame_object(f, kh_render_task_closed(kh_json_new(&f->arena), &call))
			       : KH_FRAME_DONE;
}

/* --- add ---------------------------------------------------------------------------------------------------------- */

/* Returns the last part of a file's name. */
static struct kh_view base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (strcmp(path, "-") == 0)
		return KH_LIT("standard input");
	return kh_view_str(slash != NULL && slash[1] != '\0' ? slash + 1 : path);
}

int kh_tasks_add(struct kh_frame *f)
{
	const struct kh_tasks_args *a = f->args;
	struct kh_view content;

	if (kh_frame_input(f, f->words[1], CONTENT_LIMIT, &content) != KH_OK)
		return kh_frame_fail(f);
	struct kh_put call = {
		.task = kh_view_str(f->words[0]),
		.source = a->source.p != NULL ? a->source : base_name(f->words[1]),
		.content = kh_tainted_wrap(content),
	};
	if (kh_frame_call(f, kh_put_run, &call) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json)
		return KH_FRAME_PAIRS(f, {"block", call.id}, {"task", call.task});
	kh_frame_note(f, KH_LIT("Sealed: the content is for Readers only.  Ask about it with `keyhole query`.\n"));
	return kh_frame_json(f, call.id);
}

/* --- execute ------------------------------------------------------------------------------------------------------ */

int kh_tasks_execute(struct kh_frame *f)
{
	struct kh_execute call = {.task = kh_view_str(f->words[0])};
	struct kh_buf buf = kh_frame_buf(f);
	enum kh_err e = kh_frame_input_json(f, f->words[1], PLAN_LIMIT, &call.plan);

	if (e == KH_OK)
		e = kh_frame_call(f, kh_transition_run, &call);
	if (e != KH_OK)
		return kh_frame_fail(f);
	bool has_begun = call.approval.n == 0;
	if (f->options.json)
		return kh_frame_outcome(kh_frame_object(f, kh_render_task_executed(kh_json_new(&f->arena), &call)),
					has_begun);
	if (!has_begun)
		kh_buf_printf(&buf,
			      "A human must approve this plan first:\n"
			      "  keyhole approvals show %.*s\n"
			      "Then run the same command again.\n",
			      KH_FMT(call.approval));
	return kh_frame_outcome(kh_frame_text(f, &buf), has_begun);
}

/* --- graph -------------------------------------------------------------------------------------------------------- */

/* The writers of core/block/graph.h escape untrusted text. */
int kh_tasks_graph(struct kh_frame *f)
{
	const struct kh_tasks_args *a = f->args;
	struct kh_taskgraph call = {.task = kh_view_str(f->words[0])};
	enum kh_graph_format format = a->svg ? KH_GRAPH_SVG : f->options.json ? KH_GRAPH_JSON : KH_GRAPH_DOT;
	struct kh_buf buf = kh_frame_buf(f);
	struct kh_view text;
	enum kh_err e = KH_OK;

	if (a->dot + a->svg + f->options.json > 1)
		e = kh_error_set(&f->err, KH_EINPUT, "bad_option", "one of --dot, --svg and --json");
	if (e == KH_OK)
		e = kh_frame_call(f, kh_taskgraph_run, &call);
	if (e == KH_OK)
		e = kh_graph_write(&call.blocks, &f->arena, format, &text, &f->err);
	if (e != KH_OK)
		return kh_frame_fail(f);
	if (format == KH_GRAPH_JSON)
		return kh_frame_json(f, text);
	kh_buf_add(&buf, text);
	return kh_frame_text(f, &buf);
}
