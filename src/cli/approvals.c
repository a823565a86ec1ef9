/* Lists what waits for a human.  The only text of others in it is names. */
#include "cli/approvals.h"

#include "cli/frame.h"
#include "cli/table.h"
#include "engine/approval/list.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#define MEMORY   ((size_t)64 << 20) /* bytes for one look */
#define PAUSE_NS (500 * 1000000L)

static const struct kh_table_column columns[] = {
	{"ID", "id", KH_TABLE_TEXT},
	{"KIND", "kind", KH_TABLE_TEXT},
	{"STATE", "state", KH_TABLE_TEXT},
	{"TASK", "task", KH_TABLE_TEXT},
	{"PAGES", "pages", KH_TABLE_TEXT},
	{"EXPIRES", "expires_at", KH_TABLE_TEXT},
	{"DECIDED", "decided_by", KH_TABLE_TEXT},
};

/* --- list --------------------------------------------------------------------------------------------------------- */

struct list {
	bool all;
};

/* Joins all pages of the list into one JSON array. */
static enum kh_err gather(struct kh_frame *f, bool all, struct kh_view *ret_json)
{
	struct kh_approval_list call = {.all = all};
	struct kh_buf buf;
	enum kh_err e;

	kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
	kh_buf_byte(&buf, '[');
	do {
		call.after = call.next;
		e = kh_engine_call(f->home.engine, f->token, kh_approval_list_run, &call, &f->arena, &f->err);
		if (e != KH_OK)
			return e;
		if (buf.n > 1 && call.count > 0)
			kh_buf_byte(&buf, ',');
		kh_buf_add(&buf, kh_view_sub(call.json, 1, call.json.n - 1)); /* without its brackets */
	} while (call.next.n > 0);
	kh_buf_byte(&buf, ']');
	e = kh_buf_end(&buf, ret_json);
	return e == KH_OK ? e : kh_error_set(&f->err, e, "out_of_memory", "out of memory");
}

static int run_list(struct kh_frame *f)
{
	const struct list *a = f->args;
	struct kh_view json;
	yyjson_val *list;
	struct kh_buf buf;

	if (gather(f, a->all, &json) != KH_OK)
		return kh_frame_fail(f);
	kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
	if (f->options.json) {
		kh_buf_lit(&buf, "{\"approvals\":");
		kh_buf_add(&buf, json);
		kh_buf_lit(&buf, "}\n");
		return kh_frame_text(f, &buf);
	}
	if (kh_json_read(&f->arena, json, &list, &f->err) != KH_OK)
		return kh_frame_fail(f);
	kh_table_list(&buf, list, columns, sizeof(columns) / sizeof(columns[0]),
		      a->all ? "There never was an approval." : "Nothing waits for a decision.");
	return kh_frame_text(f, &buf);
}

static const struct kh_frame_command list_command = {
	.name = "approvals list",
	.usage = "[OPTION...]",
	.about = "List the approvals that wait for a decision.\n",
	.use = KH_HOME_CALL,
	.role = KH_ROLE_REVIEWER,
	.run = run_list,
};

int kh_approvals_list_main(int argc, char **argv)
{
	struct list a = {0};
	const struct kh_option own[] = {
		{"--all", NULL, "also those that no longer wait", .flag = &a.all},
	};

	return kh_frame_main(&list_command, own, sizeof(own) / sizeof(own[0]), &a, argc, argv);
}

/* --- watch -------------------------------------------------------------------------------------------------------- */

struct watch {
	uint64_t count; /* 0: no limit */
	sigset_t signals;
	char after[32]; /* the newest that was written */
	uint64_t written;
};

static int write_item(struct kh_frame *f, struct kh_arena *arena, yyjson_val *item)
{
	struct kh_buf buf;
	struct kh_view line = {NULL, 0};

	kh_buf_init(&buf, arena, MEMORY);
	if (f->options.json) {
		yyjson_mut_doc *doc = kh_json_new(arena);
		struct kh_view json;
		if (kh_json_write(arena, yyjson_val_mut_copy(doc, item), &json) == KH_OK)
			kh_buf_add(&buf, json);
		kh_buf_byte(&buf, '\n');
	} else {
		kh_buf_printf(&buf, "%.*s  %.*s, task %.*s, %.*s page(s), until %.*s\n",
			      KH_FMT(kh_table_cell(arena, kh_json_get(item, "id"), KH_TABLE_TEXT)),
			      KH_FMT(kh_table_cell(arena, kh_json_get(item, "kind"), KH_TABLE_TEXT)),
			      KH_FMT(kh_table_cell(arena, kh_json_get(item, "task"), KH_TABLE_TEXT)),
			      KH_FMT(kh_table_cell(arena, kh_json_get(item, "pages"), KH_TABLE_TEXT)),
			      KH_FMT(kh_table_cell(arena, kh_json_get(item, "expires_at"), KH_TABLE_TEXT)));
	}
	if (kh_buf_end(&buf, &line) != KH_OK || kh_arena_check(arena) != KH_OK) {
		kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
		return kh_frame_fail(f);
	}
	return kh_frame_say(f, line) ? KH_FRAME_DONE : KH_FRAME_UNUSABLE;
}

/* Writes what is newer than the last; returns -1 if there is more to wait for. */
static int look(struct kh_frame *f, struct watch *w, struct kh_arena *arena)
{
	struct kh_approval_list call = {.after = kh_view_str(w->after)};
	yyjson_arr_iter iter;
	yyjson_val *list, *item;
	int status = KH_FRAME_DONE;

	if (kh_engine_call(f->home.engine, f->token, kh_approval_list_run, &call, arena, &f->err) != KH_OK ||
	    kh_json_read(arena, call.json, &list, &f->err) != KH_OK)
		return kh_frame_fail(f);
	yyjson_arr_iter_init(list, &iter);
	while (status == KH_FRAME_DONE && (item = yyjson_arr_iter_next(&iter)) != NULL) {
		struct kh_view id = kh_json_str(kh_json_get(item, "id"));
		snprintf(w->after, sizeof(w->after), "%.*s", KH_FMT(id));
		status = write_item(f, arena, item);
		if (++w->written == w->count)
			return status;
	}
	return status == KH_FRAME_DONE ? -1 : status;
}

/* True if a signal has come that ends the watch. */
static bool is_over(const struct watch *w)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};

	return sigtimedwait(&w->signals, NULL, &pause) > 0;
}

static int run_watch(struct kh_frame *f)
{
	struct watch *w = f->args;
	int status = -1;

	while (status < 0) {
		struct kh_arena arena;
		kh_arena_init(&arena, NULL, MEMORY);
		status = look(f, w, &arena);
		kh_arena_done(&arena);
		if (status < 0 && is_over(w))
			status = KH_FRAME_DONE;
	}
	return status;
}

static const struct kh_frame_command watch_command = {
	.name = "approvals watch",
	.usage = "[OPTION...]",
	.about = "Write a line for each approval that waits, and one for each new approval as it comes, until "
		 "interrupted.\n",
	.status = "0 interrupted, or as many as asked for were written; 2 not usable, refused or failed.",
	.use = KH_HOME_CALL,
	.role = KH_ROLE_REVIEWER,
	.run = run_watch,
};

int kh_approvals_watch_main(int argc, char **argv)
{
	struct watch w = {0};
	const struct kh_option own[] = {
		{"--count", "N", "end after so many", .number = &w.count},
	};

	/* Block the signals before there is any thread, so that no other thread gets them. */
	sigemptyset(&w.signals);
	sigaddset(&w.signals, SIGINT);
	sigaddset(&w.signals, SIGTERM);
	sigaddset(&w.signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &w.signals, NULL);
	return kh_frame_main(&watch_command, own, sizeof(own) / sizeof(own[0]), &w, argc, argv);
}
