/* Lines of events.  An event whose body cannot be read is shown as such, never left out, because somebody may have
 * changed it. */
#include "cli/eventtext.h"

#include "base/timestamp.h"
#include "cli/table.h"

#include <stdio.h>

#define SECOND INT64_C(1000000)

static struct kh_view time_text(struct kh_arena *arena, int64_t at, bool whole)
{
	struct kh_view text = kh_timestamp_text(arena, whole ? at : at - at % SECOND);

	return text.n > 0 ? text : kh_arena_printf(arena, "%lld", (long long)at);
}

/* Returns a member of the body, or NULL if the body is not JSON. */
static yyjson_val *member(struct kh_eventline *line, const struct kh_audit_entry *entry, const char *name)
{
	yyjson_val *root;

	return kh_json_read(&line->arena, entry->body, &root, NULL) == KH_OK ? kh_json_get(root, name) : NULL;
}

/* Returns the event's `what`, which is in no row, on one line; empty if there is nothing. */
static struct kh_view what_text(struct kh_eventline *line, const struct kh_audit_entry *entry)
{
	yyjson_val *what = member(line, entry, "what");
	struct kh_view text;

	if (what == NULL)
		return KH_LIT("(cannot be read)");
	if (yyjson_obj_size(what) == 0 || kh_canonical_json(&line->arena, what, &text, NULL) != KH_OK)
		return KH_LIT("");
	return text;
}

static void pad(struct kh_buf *buf, struct kh_view text, size_t width)
{
	kh_buf_add(buf, text);
	for (size_t n = text.n; n < width; n++)
		kh_buf_byte(buf, ' ');
	kh_buf_lit(buf, "  ");
}

void kh_eventtext_text(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf)
{
	kh_arena_clear(&line->arena);
	pad(buf, kh_eventline_id(line, entry->id), 17);
	pad(buf, time_text(&line->arena, entry->at, false), 20);
	pad(buf, entry->kind, 18);
	pad(buf, kh_eventline_task(line, entry->chain), 17);
	struct kh_view what = what_text(line, entry), name = kh_view_str(kh_eventline_by(line, entry->by)->name);
	if (what.n > 0)
		pad(buf, name, 12);
	else
		kh_buf_add(buf, name);
	kh_buf_add(buf, what);
	kh_buf_byte(buf, '\n');
}

/* --- CEF ---------------------------------------------------------------------------------------------------------- */

/* Escapes by ArcSight's rule: in the header a bar, in an extension an equals sign; a backslash and line ends in
 * both. */
static void cef(struct kh_buf *buf, struct kh_view text, char special)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (c == '\n' || c == '\r') {
			kh_buf_byte(buf, '\\');
			c = c == '\n' ? 'n' : 'r';
		} else if (c == '\\' || c == special) {
			kh_buf_byte(buf, '\\');
		} else if ((unsigned char)c < 0x20 || c == 0x7f) {
			c = ' ';
		}
		kh_buf_byte(buf, c);
	}
}

static void extension(struct kh_buf *buf, const char *key, struct kh_view value)
{
	if (value.n == 0)
		return;
	kh_buf_byte(buf, ' ');
	kh_buf_add(buf, kh_view_str(key));
	kh_buf_byte(buf, '=');
	cef(buf, value, '=');
}

/* Returns 0 to 10, the severity of CEF: the highest is what a human should look at first. */
static size_t severity(struct kh_view kind)
{
	static const char *const kinds[] = {
		[8] = "alert",
		[6] = "call.refused calls.refused task.failed declaration.denied",
		[5] = "query.refused query.held context.reset token.created token.revoked declaration.asked",
		[4] = "operation.begun operation.ended approval.void approval.decided ask.failed phase.changed",
	};
	struct kh_view rest, one;

	for (size_t n = 0; n < sizeof(kinds) / sizeof(kinds[0]); n++)
		for (rest = kh_view_str(kinds[n] != NULL ? kinds[n] : "");
		     rest.n > 0 && kh_view_split(&rest, ' ', &one);)
			if (kh_view_eq(one, kind))
				return n;
	return 3;
}

void kh_eventtext_cef(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf)
{
	const struct kh_eventline_name *by;
	struct kh_arena *arena = &line->arena;

	kh_arena_clear(arena);
	by = kh_eventline_by(line, entry->by);
	kh_buf_lit(buf, "CEF:0|Keyhole|Keyhole|");
	cef(buf, kh_view_str(kh_version()), '|');
	kh_buf_byte(buf, '|');
	cef(buf, entry->kind, '|');
	kh_buf_byte(buf, '|');
	cef(buf, entry->kind, '|');
	kh_buf_printf(buf, "|%zu|externalId=%.*s", severity(entry->kind), KH_FMT(kh_eventline_id(line, entry->id)));
	extension(buf, "rt", kh_arena_printf(arena, "%lld", (long long)(entry->at / 1000)));
	extension(buf, "suid", kh_view_str(by->id));
	extension(buf, "suser", kh_view_str(by->name));
	extension(buf, "cs1Label", KH_LIT("task"));
	extension(buf, "cs1", kh_eventline_task(line, entry->chain));
	extension(buf, "cs2Label", KH_LIT("hash"));
	extension(buf, "cs2", kh_canonical_hex(arena, &entry->hash));
	extension(buf, "cn1Label", KH_LIT("n"));
	extension(buf, "cn1", kh_arena_printf(arena, "%lld", (long long)entry->n));
	extension(buf, "msg", what_text(line, entry));
	kh_buf_byte(buf, '\n');
}

/* --- the whole event ---------------------------------------------------------------------------------------------- */

static void add_label(struct kh_buf *buf, const char *label, struct kh_view value)
{
	kh_buf_lit(buf, "  ");
	pad(buf, kh_view_str(label), 8);
	kh_buf_add(buf, value);
	kh_buf_byte(buf, '\n');
}

/* Adds one row that the event wrote, one line for each column. */
static void add_row(struct kh_eventline *line, yyjson_val *item, struct kh_buf *buf)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(yyjson_arr_get(item, 2));
	int64_t id = 0;
	yyjson_val *key;

	kh_json_int(yyjson_arr_get(item, 1), &id);
	add_label(buf, "wrote",
		  kh_arena_printf(&line->arena, "row %lld of %.*s", (long long)id,
				  KH_FMT(kh_json_str(yyjson_arr_get(item, 0)))));
	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		kh_buf_lit(buf, "              ");
		pad(buf, kh_json_str(key), 14);
		kh_buf_add(buf, kh_table_cell(&line->arena, yyjson_obj_iter_get_val(key), KH_TABLE_TEXT));
		kh_buf_byte(buf, '\n');
	}
}

/* Adds the reasons why an ask ended as it did, for a human who looks for a Reader's fault.  They are sealed: the
 * event has their hash.  Left out if retention removed them, or they differ from what was recorded. */
static void add_reasons(struct kh_eventline *line, yyjson_val *item, struct kh_buf *buf)
{
	struct kh_view recorded = kh_json_str(kh_json_get(yyjson_arr_get(item, 2), "reasons"));
	struct kh_effect_row *effect;
	int64_t id = 0;

	if (recorded.n == 0 || !kh_view_eq(kh_json_str(yyjson_arr_get(item, 0)), KH_LIT("effects")) ||
	    !kh_json_int(yyjson_arr_get(item, 1), &id) ||
	    kh_txn_load(line->txn, KH_TABLE_EFFECTS, id, &effect) != KH_OK || effect->reasons.n == 0)
		return;
	struct kh_digest digest = kh_canonical_digest(effect->reasons);
	if (kh_view_eq(kh_canonical_hex(&line->arena, &digest), recorded))
		add_label(buf, "because", effect->reasons);
}

static void add_chain(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf)
{
	struct kh_arena *arena = &line->arena;
	const struct kh_eventline_name *by = kh_eventline_by(line, entry->by);
	struct kh_view task = kh_eventline_task(line, entry->chain), hash = kh_canonical_hex(arena, &entry->hash);
	struct kh_digest real = kh_canonical_digest(entry->body);
	bool same = memcmp(&real, &entry->hash, sizeof(real)) == 0;

	add_label(buf, "at", time_text(arena, entry->at, true));
	add_label(buf, "by",
		  by->token != 0 ? kh_arena_printf(arena, "%s (%s)", by->name, by->id) : KH_LIT("Keyhole itself"));
	add_label(buf, "chain", kh_arena_printf(arena, "%.*s, number %lld", KH_FMT(task), (long long)entry->n));
	add_label(buf, "follows",
		  entry->prev != 0 ? kh_arena_printf(arena, "event %.*s", KH_FMT(kh_eventline_id(line, entry->prev)))
				   : KH_LIT("nothing"));
	add_label(buf, "hash",
		  kh_arena_printf(arena, "%.*s%s", KH_FMT(hash), same ? "" : "  NOT THE HASH OF THIS EVENT"));
}

void kh_eventtext_whole(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf)
{
	yyjson_val *item;

	kh_arena_clear(&line->arena);
	kh_buf_printf(buf, "event %.*s, %.*s\n", KH_FMT(kh_eventline_id(line, entry->id)), KH_FMT(entry->kind));
	add_chain(line, entry, buf);
	struct kh_view what = what_text(line, entry);
	if (what.n > 0)
		add_label(buf, "what", what);
	yyjson_arr_iter iter = yyjson_arr_iter_with(member(line, entry, "set"));
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		add_row(line, item, buf);
		add_reasons(line, item, buf);
	}
}
