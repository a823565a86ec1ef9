/* Declaring by hand, and showing declarations.  Humans are shown everything, untrusted text included: all text that
 * is not Keyhole's own is a value in one line of a table, or behind a bar. */
#include "cli/comms_show.h"

#include "cli/listing.h"
#include "engine/comm/call.h"
#include "engine/comm/declare.h"
#include "engine/comm/list.h"
#include "engine/comm/render_declared.h"
#include "engine/comm/show.h"

#include <unistd.h>

#define DECLARATION_LIMIT (64U << 10)

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
	struct kh_buf buf = kh_frame_buf(f);
	bool denied = false;

	for (size_t i = 0; i < made->count; i++) {
		denied = denied || made->items[i].ruling == KH_DENY;
		if (f->options.json)
			(void)kh_render_declared_add(doc, list, &made->items[i]);
		else
			print_item(&buf, &made->items[i]);
	}
	int status = f->options.json ? kh_frame_list(f, "declarations", doc, list) : kh_frame_text(f, &buf);
	return kh_frame_outcome(status, !denied);
}

int kh_comms_show_declare(struct kh_frame *f)
{
	struct kh_declare made = {.task = kh_view_str(f->words[0])};
	enum kh_err e = kh_frame_input_json(f, f->count > 1 ? f->words[1] : "-", DECLARATION_LIMIT, &made.declaration);

	if (e == KH_OK)
		e = kh_frame_call(f, kh_declare_run, &made);
	if (e == KH_OK)
		return write_declared(f, &made);
	int status = kh_frame_fail(f);
	if (f->err.member[0] != '\0' && !f->options.json)
		kh_frame_note(f, KH_LIT("  `keyhole comm check` lists everything that is wrong with a declaration\n"));
	return status;
}

/* --- list --------------------------------------------------------------------------------------------------------- */

int kh_comms_show_list(struct kh_frame *f)
{
	struct kh_page call = {.task = kh_view_str(f->words[0])};

	return kh_listing_write(f, kh_comm_list_run, &call, "declarations",
				"DECLARATION: id; OPERATION: operation; STATE: state; BLOCK: block; "
				"APPROVAL: approval; DECLARED: declared_at time",
				"The task has declared nothing.");
}

/* --- show --------------------------------------------------------------------------------------------------------- */

static const char head[] =
	"declaration: id; operation: operation; state: state; why: reason; task: task; context: context; host: host;"
	"block: block; waits for: approval; asked: asked_by; verified: verified_by; triage: triage;"
	"supervised: supervised; screened: screened; fenced: fenced; replaced by: replaced_by; in place of: "
	"in_place_of;"
	"bytes out: egress_bytes; bits: microbits bits; declared: declared_at time; begun: begun_at time;"
	"ended: ended_at time; purged: purged_at time";

/* Writes a value of others as lines behind a bar: a text as it is, of a list a line for each item, of an object a
 * line for each member. */
static void write_value(struct kh_buf *buf, yyjson_val *value, size_t columns)
{
	struct kh_view text = {NULL, 0};
	struct kh_buf lines;
	yyjson_val *key, *item;
	size_t i, max;

	kh_buf_init(&lines, buf->arena, KH_FRAME_TEXT);
	yyjson_obj_foreach (value, i, max, key, item) {
		kh_buf_add(&lines, kh_json_str(key));
		kh_buf_lit(&lines, ": ");
		kh_table_line(&lines, item);
	}
	yyjson_arr_foreach (value, i, max, item)
		kh_table_line(&lines, item);
	if (yyjson_is_str(value))
		kh_buf_add(&lines, kh_json_str(value));
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

	kh_table_object(buf, shown, head);
	yyjson_obj_foreach (shown, i, max, key, value) {
		struct kh_view name = kh_json_str(key);
		if (kh_table_has(head, name) || yyjson_is_null(value))
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

static void print_shown(struct kh_buf *buf, yyjson_val *shown)
{
	kh_comms_show_write(buf, shown, kh_terminal_columns(STDOUT_FILENO));
}

int kh_comms_show_one(struct kh_frame *f)
{
	struct kh_comm_show call = {.declaration = kh_view_str(f->words[0])};

	return kh_frame_show(f, kh_comm_show_run, &call, &call.json, print_shown);
}
