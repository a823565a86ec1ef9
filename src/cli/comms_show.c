/* Declaring by hand, and showing declarations.  Humans are shown everything, untrusted text included: all text that
 * is not Keyhole's own is a value in one line of a table, or behind a bar. */
#include "cli/comms_show.h"

#include "base/canonical.h"
#include "cli/frame.h"
#include "cli/table.h"
#include "engine/comm/call.h"
#include "engine/comm/declare.h"
#include "engine/comm/list.h"
#include "engine/comm/render_declared.h"
#include "engine/comm/show.h"

#include <unistd.h>

#define DECLARATION_LIMIT (64U << 10)
#define COUNT(a)          (sizeof(a) / sizeof((a)[0]))

/* --- declare ------------------------------------------------------------------------------------------------------ */

static void print_item(struct kh_buf *buf, const struct kh_declare_item *item)
{
	struct kh_view name = kh_operation_short(item->operation);

	kh_buf_printf(buf, "%.*s  %.*s: %s", KH_FMT(item->id.n > 0 ? item->id : KH_LIT("-")), KH_FMT(item->operation),
		      kh_words_name(&kh_risk_ruling_words, item->ruling));
	if (item->gate != NULL && item->code != NULL)
		kh_buf_printf(buf, " (%s: %s)", item->gate, item->code);
	kh_buf_printf(buf, ", %.*s\n", KH_FMT(item->why));
	if (item->approval.n > 0)
		kh_buf_printf(buf, "  A human decides: keyhole approvals show %.*s\n", KH_FMT(item->approval));
	if (item->id.n > 0)
		kh_buf_printf(buf, "  keyhole comm %.*s --declaration %.*s\n", KH_FMT(name), KH_FMT(item->id));
}

static int write_declared(struct kh_frame *f, const struct kh_declare *made)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	bool denied = false;
	struct kh_buf buf;

	kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
	for (size_t i = 0; i < made->count; i++) {
		denied = denied || made->items[i].ruling == KH_DENY;
		if (f->options.json)
			(void)kh_render_declared_add(doc, list, &made->items[i]);
		else
			print_item(&buf, &made->items[i]);
	}
	int status = f->options.json ? kh_frame_list(f, "declarations", doc, list) : kh_frame_text(f, &buf);
	return status == KH_FRAME_DONE && denied ? KH_FRAME_NOT : status;
}

static int run_declare(struct kh_frame *f)
{
	struct kh_declare made = {.task = kh_view_str(f->words[0])};
	struct kh_view text;
	enum kh_err e = kh_frame_input(f, f->count > 1 ? f->words[1] : "-", DECLARATION_LIMIT, &text);

	if (e == KH_OK)
		e = kh_json_read(&f->arena, text, &made.declaration, &f->err);
	if (e == KH_OK)
		e = kh_engine_call(f->home.engine, f->token, kh_declare_run, &made, &f->arena, &f->err);
	if (e == KH_OK)
		return write_declared(f, &made);
	int status = kh_frame_fail(f);
	if (f->err.member[0] != '\0' && !f->options.json)
		kh_frame_note(f, KH_LIT("  `keyhole comm check` lists everything that is wrong with a declaration\n"));
	return status;
}

static const struct kh_frame_command declare_command = {
	.name = "comm declare",
	.usage = "[OPTION...] TASK [FILE]",
	.about = "Say what a task will need from outside, and why.  FILE is a declaration as JSON; without FILE, or "
		 "with\n"
		 "-, it is read from standard input.  Nothing is run.  If a human has to approve it, the approval is "
		 "asked\n"
		 "for now.  What the policy does not allow is denied now.\n",
	.status = "0 declared; 1 something was denied, and that is written; 2 not usable, refused or failed.",
	.least = 1,
	.most = 2,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_CONTROLLER,
	.run = run_declare,
};

int kh_comms_show_declare_main(int argc, char **argv)
{
	return kh_frame_main(&declare_command, NULL, 0, NULL, argc, argv);
}

/* --- list --------------------------------------------------------------------------------------------------------- */

/* Gathers all pages of the list. */
static enum kh_err gather(struct kh_frame *f, yyjson_mut_doc *doc, yyjson_mut_val *list)
{
	struct kh_comm_list page = {.task = kh_view_str(f->words[0])};
	yyjson_val *items = NULL, *item;
	size_t i, max;

	do {
		enum kh_err e = kh_engine_call(f->home.engine, f->token, kh_comm_list_run, &page, &f->arena, &f->err);
		if (e == KH_OK)
			e = kh_json_read(&f->arena, page.json, &items, &f->err);
		if (e != KH_OK)
			return e;
		yyjson_arr_foreach (items, i, max, item)
			yyjson_mut_arr_append(list, yyjson_val_mut_copy(doc, item));
		page.after = kh_json_str(kh_json_get(yyjson_arr_get_last(items), "id"));
	} while (page.more && page.after.n > 0);
	return KH_OK;
}

static int run_list(struct kh_frame *f)
{
	static const struct kh_table_column columns[] = {
		{"DECLARATION", "id", KH_TABLE_TEXT},    {"OPERATION", "operation", KH_TABLE_TEXT},
		{"STATE", "state", KH_TABLE_TEXT},       {"BLOCK", "block", KH_TABLE_TEXT},
		{"APPROVAL", "approval", KH_TABLE_TEXT}, {"DECLARED", "declared_at", KH_TABLE_TIME},
	};
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	yyjson_val *items = NULL;
	struct kh_buf buf;

	if (gather(f, doc, list) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json)
		return kh_frame_list(f, "declarations", doc, list);
	if (kh_json_freeze(&f->arena, list, &items, &f->err) != KH_OK)
		return kh_frame_fail(f);
	kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
	kh_table_list(&buf, items, columns, COUNT(columns), "The task has declared nothing.");
	return kh_frame_text(f, &buf);
}

static const struct kh_frame_command list_command = {
	.name = "comm list",
	.usage = "[OPTION...] TASK",
	.about = "List the external operations that a task has declared, and the state of each.\n",
	.least = 1,
	.most = 1,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_REVIEWER,
	.run = run_list,
};

int kh_comms_show_list_main(int argc, char **argv)
{
	return kh_frame_main(&list_command, NULL, 0, NULL, argc, argv);
}

/* --- show --------------------------------------------------------------------------------------------------------- */

static const struct kh_table_column head[] = {
	{"declaration", "id", KH_TABLE_TEXT},
	{"operation", "operation", KH_TABLE_TEXT},
	{"state", "state", KH_TABLE_TEXT},
	{"why", "reason", KH_TABLE_TEXT},
	{"task", "task", KH_TABLE_TEXT},
	{"context", "context", KH_TABLE_TEXT},
	{"host", "host", KH_TABLE_TEXT},
	{"block", "block", KH_TABLE_TEXT},
	{"waits for", "approval", KH_TABLE_TEXT},
	{"asked", "asked_by", KH_TABLE_TEXT},
	{"verified", "verified_by", KH_TABLE_TEXT},
	{"triage", "triage", KH_TABLE_TEXT},
	{"supervised", "supervised", KH_TABLE_TEXT},
	{"screened", "screened", KH_TABLE_TEXT},
	{"fenced", "fenced", KH_TABLE_TEXT},
	{"replaced by", "replaced_by", KH_TABLE_TEXT},
	{"in place of", "in_place_of", KH_TABLE_TEXT},
	{"bytes out", "egress_bytes", KH_TABLE_TEXT},
	{"bits", "microbits", KH_TABLE_BITS},
	{"declared", "declared_at", KH_TABLE_TIME},
	{"begun", "begun_at", KH_TABLE_TIME},
	{"ended", "ended_at", KH_TABLE_TIME},
	{"purged", "purged_at", KH_TABLE_TIME},
};

static bool is_head(struct kh_view name)
{
	for (size_t i = 0; i < COUNT(head); i++) {
		if (kh_view_eq(name, kh_view_str(head[i].member)))
			return true;
	}
	return false;
}

/* Writes a value of others as lines behind a bar: a text as it is, of a list a line for each item, of an object a
 * line for each member. */
static void write_value(struct kh_buf *buf, yyjson_val *value, size_t columns)
{
	struct kh_view text = {NULL, 0}, json;
	struct kh_buf lines;
	yyjson_val *key, *item;
	size_t i, max;

	kh_buf_init(&lines, buf->arena, KH_FRAME_TEXT);
	if (yyjson_is_obj(value)) {
		yyjson_obj_foreach (value, i, max, key, item) {
			kh_buf_add(&lines, kh_json_str(key));
			kh_buf_lit(&lines, ": ");
			if (yyjson_is_str(item))
				kh_buf_add(&lines, kh_json_str(item));
			else if (kh_canonical_json(buf->arena, item, &json, NULL) == KH_OK)
				kh_buf_add(&lines, json);
			kh_buf_byte(&lines, '\n');
		}
	} else if (yyjson_is_arr(value)) {
		yyjson_arr_foreach (value, i, max, item) {
			if (yyjson_is_str(item))
				kh_buf_add(&lines, kh_json_str(item));
			else if (kh_canonical_json(buf->arena, item, &json, NULL) == KH_OK)
				kh_buf_add(&lines, json);
			kh_buf_byte(&lines, '\n');
		}
	} else if (yyjson_is_str(value)) {
		kh_buf_add(&lines, kh_json_str(value));
	}
	if (kh_buf_end(&lines, &text) != KH_OK)
		buf->arena->failed = true;
	else
		kh_terminal_frame(buf, kh_tainted_wrap(kh_view_trim(text)), columns);
}

/* Writes the commands that show more: the record has what the gates said at each decision, the approval what
 * matched. */
static void write_where(struct kh_buf *buf, yyjson_val *shown)
{
	struct kh_view task = kh_json_str(kh_json_get(shown, "task"));
	struct kh_view asked = kh_json_str(kh_json_get(shown, "asked_by"));

	if (task.n > 0)
		kh_buf_printf(buf, "\nWhat each gate said:  keyhole audit export --task %.*s --kind declaration\n",
			      KH_FMT(task));
	if (asked.n > 0)
		kh_buf_printf(buf, "What was shown, with what matched:  keyhole approvals show %.*s\n", KH_FMT(asked));
}

void kh_comms_show_write(struct kh_buf *buf, yyjson_val *shown, size_t columns)
{
	yyjson_val *key, *value;
	size_t i, max;

	kh_table_object(buf, shown, head, COUNT(head));
	yyjson_obj_foreach (shown, i, max, key, value) {
		struct kh_view name = kh_json_str(key);
		if (is_head(name) || yyjson_is_null(value))
			continue;
		if (yyjson_is_ctn(value) || yyjson_is_str(value)) {
			kh_buf_printf(buf, "\n---- %.*s ----\n", KH_FMT(name));
			write_value(buf, value, columns);
		} else {
			kh_buf_printf(buf, "%.*s  %.*s\n", KH_FMT(name),
				      KH_FMT(kh_table_cell(buf->arena, value, KH_TABLE_TEXT)));
		}
	}
	write_where(buf, shown);
}

static int run_show(struct kh_frame *f)
{
	struct kh_comm_show call = {.declaration = kh_view_str(f->words[0])};
	yyjson_val *shown;
	struct kh_buf buf;

	if (kh_engine_call(f->home.engine, f->token, kh_comm_show_run, &call, &f->arena, &f->err) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json)
		return kh_frame_json(f, call.json);
	if (kh_json_read(&f->arena, call.json, &shown, &f->err) != KH_OK)
		return kh_frame_fail(f);
	kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
	kh_comms_show_write(&buf, shown, kh_terminal_columns(STDOUT_FILENO));
	return kh_frame_text(f, &buf);
}

static const struct kh_frame_command show_command = {
	.name = "comm show",
	.usage = "[OPTION...] DECLARATION",
	.about = "Show all that is known of an external operation: the declaration, the decision of each gate, what\n"
		 "matched untrusted content, and what came back.  Text from outside stands behind a bar at the left;\n"
		 "invisible and control characters in it are shown as escapes.\n",
	.least = 1,
	.most = 1,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_REVIEWER,
	.run = run_show,
};

int kh_comms_show_main(int argc, char **argv)
{
	return kh_frame_main(&show_command, NULL, 0, NULL, argc, argv);
}
