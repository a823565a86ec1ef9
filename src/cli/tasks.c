/* Tasks on the command line.  Content that is added to a task is sealed, and nothing here writes it out again. */
#include "cli/tasks.h"

#include "cli/frame.h"
#include "cli/table.h"
#include "engine/context/put.h"
#include "engine/task/show.h"
#include "engine/task/task.h"
#include "engine/task/transition.h"

#define PLAN_LIMIT    (64U << 10)
#define CONTENT_LIMIT (16U << 20)

/* Writes one object with one or two members. */
static int write_pair(struct kh_frame *f, const char *key, struct kh_view value, const char *key2,
		      struct kh_view value2)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_json_add(doc, obj, key, value);
	if (key2 != NULL)
		kh_json_add(doc, obj, key2, value2);
	return kh_frame_object(f, obj);
}

/* --- open --------------------------------------------------------------------------------------------------------- */

struct open {
	uint64_t bits;
};

static int run_open(struct kh_frame *f)
{
	const struct open *a = f->args;
	struct kh_task_open call = {.title = kh_view_str(f->count > 0 ? f->words[0] : ""), .bits = a->bits};

	if (kh_engine_call(f->home.engine, f->token, kh_task_open_run, &call, &f->arena, &f->err) != KH_OK)
		return kh_frame_fail(f);
	return f->options.json ? write_pair(f, "task", call.id, NULL, call.id) : kh_frame_json(f, call.id);
}

static const struct kh_frame_command open = {
	.name = "task open",
	.usage = "[OPTION...] [TITLE]",
	.about = "Open a task and write its id.  Content is put into a task, and budgets are counted for each task.\n",
	.most = 1,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_CONTROLLER,
	.run = run_open,
};

int kh_tasks_open_main(int argc, char **argv)
{
	struct open a = {0};
	const struct kh_option own[] = {
		{"--bits", "N", "a smaller budget than the policy's", .number = &a.bits},
	};

	return kh_frame_main(&open, own, sizeof(own) / sizeof(own[0]), &a, argc, argv);
}

/* --- show --------------------------------------------------------------------------------------------------------- */

static uint64_t microbits(yyjson_val *task, const char *path)
{
	int64_t n = 0;

	return kh_json_int(kh_table_member(task, path), &n) && n > 0 ? (uint64_t)n : 0;
}

struct kh_view kh_tasks_budget(struct kh_arena *arena, yyjson_val *task)
{
	struct kh_view left = kh_table_bits(arena, microbits(task, "budget.microbits.remaining"));
	struct kh_view all = kh_table_bits(arena, microbits(task, "budget.microbits.budget"));
	struct kh_view words = kh_table_cell(arena, kh_table_member(task, "words"), KH_TABLE_TEXT);

	left.n = left.n > 5 ? left.n - 5 : 0; /* without " bits" */
	return kh_arena_printf(arena, "%.*s of %.*s, %.*s", KH_FMT(left), KH_FMT(all), KH_FMT(words));
}

static void print_escalations(struct kh_buf *buf, yyjson_val *task)
{
	int64_t used = 0, limit = 0;

	if (kh_json_int(kh_table_member(task, "escalations.used"), &used) &&
	    kh_json_int(kh_table_member(task, "escalations.limit"), &limit))
		kh_buf_printf(buf, "escalations  %lld of %lld\n", (long long)used, (long long)limit);
}

static void print_blocks(struct kh_buf *buf, yyjson_val *task)
{
	static const struct kh_table_column columns[] = {
		{"BLOCK", "id", KH_TABLE_TEXT},
		{"KIND", "kind", KH_TABLE_TEXT},
		{"TAINT", "taint", KH_TABLE_TEXT},
		{"SOURCE", "source", KH_TABLE_TEXT},
	};

	kh_buf_byte(buf, '\n');
	kh_table_list(buf, kh_table_member(task, "blocks"), columns, sizeof(columns) / sizeof(columns[0]),
		      "No content yet: `keyhole task add TASK FILE` puts some in.");
}

static void print_approvals(struct kh_buf *buf, yyjson_val *task)
{
	yyjson_val *list = kh_table_member(task, "approvals"), *id;
	size_t i, max;

	if (yyjson_arr_size(list) > 0)
		kh_buf_lit(buf, "\nA human is waited for:\n");
	yyjson_arr_foreach (list, i, max, id) {
		kh_buf_lit(buf, "  keyhole approvals show ");
		kh_buf_add(buf, kh_table_cell(buf->arena, id, KH_TABLE_TEXT));
		kh_buf_byte(buf, '\n');
	}
}

static int print_task(struct kh_frame *f, yyjson_val *task)
{
	static const struct kh_table_column before[] = {
		{"task       ", "id", KH_TABLE_TEXT},  {"title", "title", KH_TABLE_TEXT},
		{"state", "state", KH_TABLE_TEXT},     {"reason", "reason", KH_TABLE_TEXT},
		{"phase", "phase", KH_TABLE_TEXT},     {"taint", "taint", KH_TABLE_TEXT},
		{"context", "context", KH_TABLE_TEXT}, {"opened", "opened_at", KH_TABLE_TIME},
		{"ended", "ended_at", KH_TABLE_TIME},  {"queries", "queries", KH_TABLE_TEXT},
	};
	struct kh_buf buf;

	kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
	kh_table_object(&buf, task, before, sizeof(before) / sizeof(before[0]));
	kh_buf_lit(&buf, "budget       ");
	kh_buf_add(&buf, kh_tasks_budget(&f->arena, task));
	kh_buf_byte(&buf, '\n');
	print_escalations(&buf, task);
	print_blocks(&buf, task);
	print_approvals(&buf, task);
	return kh_frame_text(f, &buf);
}

static int run_show(struct kh_frame *f)
{
	struct kh_task_show call = {.task = kh_view_str(f->words[0])};

	if (kh_engine_call(f->home.engine, f->token, kh_task_show_run, &call, &f->arena, &f->err) != KH_OK)
		return kh_frame_fail(f);
	return kh_frame_show(f, call.json, print_task);
}

static const struct kh_frame_command show = {
	.name = "task show",
	.usage = "[OPTION...] TASK",
	.about = "Show a task: its budget in bits and in words, taint, phase, blocks, and what waits for a human.\n"
		 "A controller's token sees less of it than a reviewer's, which is the default.\n",
	.least = 1,
	.most = 1,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_REVIEWER,
	.run = run_show,
};

int kh_tasks_show_main(int argc, char **argv)
{
	return kh_frame_main(&show, NULL, 0, NULL, argc, argv);
}

/* --- list --------------------------------------------------------------------------------------------------------- */

struct list {
	bool all;
};

/* Joins the pages of the list. */
static enum kh_err gather(struct kh_frame *f, bool all, yyjson_mut_doc *doc, yyjson_mut_val *ret_list)
{
	struct kh_task_list call = {.all = all};
	yyjson_val *page, *task;
	size_t i, max;

	do {
		call.more = false;
		enum kh_err e = kh_engine_call(f->home.engine, f->token, kh_task_list_run, &call, &f->arena, &f->err);
		if (e == KH_OK)
			e = kh_json_read(&f->arena, call.json, &page, &f->err);
		if (e != KH_OK)
			return e;
		yyjson_arr_foreach (page, i, max, task) {
			yyjson_mut_arr_append(ret_list, yyjson_val_mut_copy(doc, task));
			call.after = kh_json_str(kh_json_get(task, "id"));
		}
	} while (call.more && yyjson_arr_size(page) > 0);
	return KH_OK;
}

static int print_list(struct kh_frame *f, yyjson_val *list)
{
	static const struct kh_table_column columns[] = {
		{"TASK", "id", KH_TABLE_TEXT},
		{"STATE", "state", KH_TABLE_TEXT},
		{"PHASE", "phase", KH_TABLE_TEXT},
		{"OPENED", "opened_at", KH_TABLE_TIME},
		{"LEFT", "budget.microbits.remaining", KH_TABLE_BITS},
		{"QUERIES", "queries", KH_TABLE_TEXT},
		{"WAITING", "pending", KH_TABLE_TEXT},
		{"TITLE", "title", KH_TABLE_TEXT},
	};
	struct kh_buf buf;

	kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
	kh_table_list(&buf, list, columns, sizeof(columns) / sizeof(columns[0]),
		      "No open tasks: `keyhole task open` opens one, --all lists those that have ended.");
	return kh_frame_text(f, &buf);
}

static int run_list(struct kh_frame *f)
{
	const struct list *a = f->args;
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	yyjson_val *frozen;

	if (gather(f, a->all, doc, list) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json)
		return kh_frame_list(f, "tasks", doc, list);
	if (kh_json_freeze(&f->arena, list, &frozen, &f->err) != KH_OK)
		return kh_frame_fail(f);
	return print_list(f, frozen);
}

static const struct kh_frame_command list = {
	.name = "task list",
	.usage = "[OPTION...]",
	.about = "List open tasks.  A reviewer's token (the default) sees all of them, a controller's only its own.\n",
	.use = KH_HOME_CALL,
	.role = KH_ROLE_REVIEWER,
	.run = run_list,
};

int kh_tasks_list_main(int argc, char **argv)
{
	struct list a = {0};
	const struct kh_option own[] = {{"--all", NULL, "also those that have ended", .flag = &a.all}};

	return kh_frame_main(&list, own, sizeof(own) / sizeof(own[0]), &a, argc, argv);
}

/* --- close -------------------------------------------------------------------------------------------------------- */

static int run_close(struct kh_frame *f)
{
	struct kh_task_close call = {.task = kh_view_str(f->words[0])};

	if (kh_engine_call(f->home.engine, f->token, kh_task_close_run, &call, &f->arena, &f->err) != KH_OK)
		return kh_frame_fail(f);
	return f->options.json ? write_pair(f, "task", call.task, "state", KH_LIT("closed")) : KH_FRAME_DONE;
}

static const struct kh_frame_command close = {
	.name = "task close",
	.usage = "[OPTION...] TASK",
	.about =
		"Close a task.  Its open queries fail, what they reserved stays charged, and nobody is asked any more\n"
		"about what waits for a human.\n",
	.least = 1,
	.most = 1,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_CONTROLLER,
	.run = run_close,
};

int kh_tasks_close_main(int argc, char **argv)
{
	return kh_frame_main(&close, NULL, 0, NULL, argc, argv);
}

/* --- add ---------------------------------------------------------------------------------------------------------- */

struct add {
	const char *source;
};

/* Returns the last part of a file's name. */
static struct kh_view base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (strcmp(path, "-") == 0)
		return KH_LIT("standard input");
	return kh_view_str(slash != NULL && slash[1] != '\0' ? slash + 1 : path);
}

static int run_add(struct kh_frame *f)
{
	const struct add *a = f->args;
	struct kh_view content;
	struct kh_buf buf;

	if (kh_frame_input(f, f->words[1], CONTENT_LIMIT, &content) != KH_OK)
		return kh_frame_fail(f);
	struct kh_put call = {
		.task = kh_view_str(f->words[0]),
		.source = a->source != NULL ? kh_view_str(a->source) : base_name(f->words[1]),
		.content = kh_tainted_wrap(content),
	};
	if (kh_engine_call(f->home.engine, f->token, kh_put_run, &call, &f->arena, &f->err) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json)
		return write_pair(f, "block", call.id, "task", call.task);
	kh_buf_init(&buf, &f->arena, 4096);
	kh_buf_add(&buf, call.id);
	kh_buf_byte(&buf, '\n');
	kh_frame_note(f, KH_LIT("Sealed: the content is for Readers only.  Ask about it with `keyhole query`.\n"));
	return kh_frame_text(f, &buf);
}

static const struct kh_frame_command add = {
	.name = "task add",
	.usage = "[OPTION...] TASK FILE",
	.about = "Put content into a task as a sealed block, and write the block's id.  The content is untrusted: the\n"
		 "Controller gets answers about it, and never the content.  FILE is UTF-8 text of up to 16 MiB; - is\n"
		 "standard input.\n",
	.least = 2,
	.most = 2,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_CONTROLLER,
	.run = run_add,
};

int kh_tasks_add_main(int argc, char **argv)
{
	struct add a = {0};
	const struct kh_option own[] = {
		{"--source", "TEXT", "where it came from, for people (default: the file's name)", .text = &a.source}};

	return kh_frame_main(&add, own, sizeof(own) / sizeof(own[0]), &a, argc, argv);
}

/* --- execute ------------------------------------------------------------------------------------------------------ */

static int write_execute(struct kh_frame *f, const struct kh_execute *call)
{
	struct kh_buf buf;

	if (f->options.json && call->approval.n == 0)
		return write_pair(f, "task", call->task, "phase", KH_LIT("execution"));
	if (f->options.json) {
		int status = write_pair(f, "task", call->task, "approval", call->approval);
		return status == KH_FRAME_DONE ? KH_FRAME_NOT : status;
	}
	if (call->approval.n == 0)
		return KH_FRAME_DONE;
	kh_buf_init(&buf, &f->arena, 4096);
	kh_buf_printf(&buf,
		      "A human must approve this plan first:\n"
		      "  keyhole approvals show %.*s\n"
		      "Then run the same command again.\n",
		      KH_FMT(call->approval));
	int status = kh_frame_text(f, &buf);
	return status == KH_FRAME_DONE ? KH_FRAME_NOT : status;
}

static int run_execute(struct kh_frame *f)
{
	struct kh_execute call = {.task = kh_view_str(f->words[0])};
	struct kh_view text;
	enum kh_err e = kh_frame_input(f, f->words[1], PLAN_LIMIT, &text);

	if (e == KH_OK)
		e = kh_json_read(&f->arena, text, &call.plan, &f->err);
	if (e == KH_OK)
		e = kh_engine_call(f->home.engine, f->token, kh_transition_run, &call, &f->arena, &f->err);
	return e == KH_OK ? write_execute(f, &call) : kh_frame_fail(f);
}

static const struct kh_frame_command execute = {
	.name = "task execute",
	.usage = "[OPTION...] TASK PLAN",
	.about = "Begin a task's execution with its plan, a JSON file: "
		 "{\"plan\":\"...\",\"required_operations\":[...]}.\n"
		 "A human must approve the plan first if the screen has marked it, or if the taint of the context is "
		 "high.\n",
	.status = "0 done; 1 a human must approve it first; 2 not usable, refused or failed.",
	.least = 2,
	.most = 2,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_CONTROLLER,
	.run = run_execute,
};

int kh_tasks_execute_main(int argc, char **argv)
{
	return kh_frame_main(&execute, NULL, 0, NULL, argc, argv);
}
