/* Lines of events.  An event whose body cannot be read is shown as such, never left out, because somebody may have
 * changed it.  Whether it came from the store or from a gateway makes no difference here. */
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

/* --- where an event comes from ------------------------------------------------------------------------------------ */

static struct kh_view reasons_in_store(const struct kh_eventtext *e, int64_t effect, struct kh_view recorded)
{
	return kh_eventline_reasons(e->line, effect, recorded);
}

void kh_eventtext_of(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_eventtext *ret_event)
{
	kh_arena_clear(&line->arena);
	const struct kh_eventline_name *by = kh_eventline_by(line, entry->by);

	*ret_event = (struct kh_eventtext){
		.arena = &line->arena,
		.id = kh_eventline_id(line, entry->id),
		.kind = entry->kind,
		.task = kh_eventline_task(line, entry->chain),
		.name = kh_view_str(by->name),
		.principal = by->token != 0 ? kh_view_str(by->id) : KH_LIT(""),
		.follows = entry->prev != 0 ? kh_eventline_id(line, entry->prev) : KH_LIT(""),
		.hash = kh_canonical_hex(&line->arena, &entry->hash),
		.at = entry->at,
		.n = entry->n,
		.reasons = reasons_in_store,
		.line = line,
	};
	struct kh_digest real = kh_canonical_digest(entry->body);
	ret_event->is_hashed = memcmp(&real, &entry->hash, sizeof(real)) == 0;
	(void)!kh_json_read(&line->arena, entry->body, &ret_event->body, NULL);
}

static struct kh_view reasons_in_line(const struct kh_eventtext *e, int64_t effect, struct kh_view recorded)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(e->because);
	yyjson_val *item;
	int64_t id = 0;

	(void)recorded; /* whoever wrote the line has compared them */
	while ((item = yyjson_arr_iter_next(&iter)) != NULL)
		if (kh_json_int(yyjson_arr_get(item, 0), &id) && id == effect)
			return kh_json_str(yyjson_arr_get(item, 1));
	return KH_LIT("");
}

enum kh_err kh_eventtext_read(struct kh_arena *arena, struct kh_view line, struct kh_eventtext *ret_event)
{
	struct kh_view body = {NULL, 0};
	yyjson_val *root;
	enum kh_err e = kh_json_read(arena, line, &root, NULL);

	if (e != KH_OK)
		return e;
	yyjson_val *event = kh_json_get(root, "event");
	struct kh_view task = kh_json_str(kh_json_get(root, "task"));
	*ret_event = (struct kh_eventtext){
		.arena = arena,
		.id = kh_json_str(kh_json_get(root, "id")),
		.kind = kh_json_str(kh_json_get(event, "kind")),
		.task = task.n > 0 ? task : KH_LIT("system"),
		.name = kh_json_str(kh_json_get(root, "name")),
		.principal = kh_json_str(kh_json_get(root, "principal")),
		.follows = kh_json_str(kh_json_get(root, "follows")),
		.hash = kh_json_str(kh_json_get(root, "hash")),
		.reasons = reasons_in_line,
		.because = kh_json_get(root, "because"),
		.body = yyjson_is_obj(event) ? event : NULL,
	};
	(void)!kh_json_int(kh_json_get(event, "at"), &ret_event->at);
	(void)!kh_json_int(kh_json_get(event, "n"), &ret_event->n);
	if (ret_event->body != NULL && kh_canonical_json(arena, event, &body, NULL) == KH_OK) {
		struct kh_digest real = kh_canonical_digest(body);
		ret_event->is_hashed = kh_view_eq(kh_canonical_hex(arena, &real), ret_event->hash);
	}
	return ret_event->id.n > 0 ? kh_arena_check(arena) : KH_EINPUT;
}

/* --- a line of text ----------------------------------------------------------------------------------------------- */

/* Returns the event's `what`, which is in no row, on one line; empty if there is nothing. */
static struct kh_view what_text(const struct kh_eventtext *e)
{
	yyjson_val *what = kh_json_get(e->body, "what");
	struct kh_view text;

	if (what == NULL)
		return KH_LIT("(cannot be read)");
	if (yyjson_obj_size(what) == 0 || kh_canonical_json(e->arena, what, &text, NULL) != KH_OK)
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

void kh_eventtext_text(const struct kh_eventtext *e, struct kh_buf *buf)
{
	pad(buf, e->id, 17);
	pad(buf, time_text(e->arena, e->at, false), 20);
	pad(buf, e->kind, 18);
	pad(buf, e->task, 17);
	struct kh_view what = what_text(e);
	if (what.n > 0)
		pad(buf, e->name, 12);
	else
		kh_buf_add(buf, e->name);
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
		[6] = "call.refused calls.refused task.failed declaration.denied system.halted system.resumed",
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

void kh_eventtext_cef(const struct kh_eventtext *e, struct kh_buf *buf)
{
	kh_buf_lit(buf, "CEF:0|Keyhole|Keyhole|");
	cef(buf, kh_view_str(kh_version()), '|');
	kh_buf_byte(buf, '|');
	cef(buf, e->kind, '|');
	kh_buf_byte(buf, '|');
	cef(buf, e->kind, '|');
	kh_buf_printf(buf, "|%zu", severity(e->kind));
	kh_buf_lit(buf, "|externalId=");
	cef(buf, e->id, '=');
	extension(buf, "rt", kh_arena_printf(e->arena, "%lld", (long long)(e->at / 1000)));
	extension(buf, "suid", e->principal);
	extension(buf, "suser", e->name);
	extension(buf, "cs1Label", KH_LIT("task"));
	extension(buf, "cs1", e->task);
	extension(buf, "cs2Label", KH_LIT("hash"));
	extension(buf, "cs2", e->hash);
	extension(buf, "cn1Label", KH_LIT("n"));
	extension(buf, "cn1", kh_arena_printf(e->arena, "%lld", (long long)e->n));
	extension(buf, "msg", what_text(e));
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
static void add_row(const struct kh_eventtext *e, yyjson_val *item, struct kh_buf *buf)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(yyjson_arr_get(item, 2));
	int64_t id = 0;
	yyjson_val *key;

	kh_json_int(yyjson_arr_get(item, 1), &id);
	add_label(buf, "wrote",
		  kh_arena_printf(e->arena, "row %lld of %.*s", (long long)id,
				  KH_FMT(kh_json_str(yyjson_arr_get(item, 0)))));
	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		kh_buf_lit(buf, "              ");
		pad(buf, kh_json_str(key), 14);
		kh_buf_add(buf, kh_table_cell(e->arena, yyjson_obj_iter_get_val(key), KH_TABLE_TEXT));
		kh_buf_byte(buf, '\n');
	}
}

/* Adds the reasons why an ask ended as it did. */
static void add_reasons(const struct kh_eventtext *e, yyjson_val *item, struct kh_buf *buf)
{
	struct kh_view recorded = kh_json_str(kh_json_get(yyjson_arr_get(item, 2), "reasons"));
	int64_t id = 0;

	if (recorded.n == 0 || !kh_view_eq(kh_json_str(yyjson_arr_get(item, 0)), KH_LIT("effects")) ||
	    !kh_json_int(yyjson_arr_get(item, 1), &id))
		return;
	struct kh_view reasons = e->reasons(e, id, recorded);
	if (reasons.n > 0)
		add_label(buf, "because", reasons);
}

static void add_chain(const struct kh_eventtext *e, struct kh_buf *buf)
{
	struct kh_arena *arena = e->arena;

	add_label(buf, "at", time_text(arena, e->at, true));
	add_label(buf, "by",
		  e->principal.n > 0 ? kh_arena_printf(arena, "%.*s (%.*s)", KH_FMT(e->name), KH_FMT(e->principal))
				     : KH_LIT("Keyhole itself"));
	add_label(buf, "chain", kh_arena_printf(arena, "%.*s, number %lld", KH_FMT(e->task), (long long)e->n));
	add_label(buf, "follows",
		  e->follows.n > 0 ? kh_arena_printf(arena, "event %.*s", KH_FMT(e->follows)) : KH_LIT("nothing"));
	add_label(
		buf, "hash",
		kh_arena_printf(arena, "%.*s%s", KH_FMT(e->hash), e->is_hashed ? "" : "  NOT THE HASH OF THIS EVENT"));
}

void kh_eventtext_whole(const struct kh_eventtext *e, struct kh_buf *buf)
{
	yyjson_val *item;

	kh_buf_printf(buf, "event %.*s, %.*s\n", KH_FMT(e->id), KH_FMT(e->kind));
	add_chain(e, buf);
	struct kh_view what = what_text(e);
	if (what.n > 0)
		add_label(buf, "what", what);
	yyjson_arr_iter iter = yyjson_arr_iter_with(kh_json_get(e->body, "set"));
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		add_row(e, item, buf);
		add_reasons(e, item, buf);
	}
}
