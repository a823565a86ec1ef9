/* Lists what waits for a human.  The only text of others in it is names. */
#include "cli/approvals.h"

#include "cli/listing.h"
#include "engine/approval/list.h"

#include <time.h>

#define MEMORY   ((size_t)64 << 20) /* bytes for one look */
#define PAUSE_NS (500 * 1000000L)

/* --- list --------------------------------------------------------------------------------------------------------- */

int kh_approvals_list(struct kh_frame *f)
{
	const struct kh_approvals_args *a = f->args;
	struct kh_approval_list call = {.all = a->all};

	return kh_listing_write(f, KH_LISTING(kh_approval_list_run, call), "approvals",
				"ID: id; KIND: kind; STATE: state; TASK: task; PAGES: pages; "
				"EXPIRES: expires_at; DECIDED: decided_by",
				a->all ? "There never was an approval." : "Nothing waits for a decision.");
}

/* --- watch -------------------------------------------------------------------------------------------------------- */

struct watch {
	uint64_t count; /* 0: no limit */
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
	if (kh_buf_end(&buf, &line) != KH_OK || kh_arena_check(arena) != KH_OK)
		return kh_frame_fail_memory(f);
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
static bool is_over(void)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	sigset_t signals = kh_frame_signals();

	return sigtimedwait(&signals, NULL, &pause) > 0;
}

int kh_approvals_watch(struct kh_frame *f)
{
	const struct kh_approvals_args *a = f->args;
	struct watch w = {.count = a->count};
	int status = -1;

	while (status < 0) {
		struct kh_arena arena;
		kh_arena_init(&arena, NULL, MEMORY);
		status = look(f, &w, &arena);
		kh_arena_done(&arena);
		if (status < 0 && is_over())
			status = KH_FRAME_DONE;
	}
	return status;
}
