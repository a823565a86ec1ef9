/*
 * Events as JSON.  A body that cannot be read is shown as such and never left out, because somebody may have changed
 * it.
 */
#include "engine/audit/eventline.h"

#include "base/emit.h"
#include "base/json.h"
#include "base/utf8.h"
#include "store/backend.h"
#include "store/txn.h"

#include <stdio.h>

#define MEMORY (256U << 20)

static enum kh_err read_key(struct kh_eventline *line)
{
	struct kh_system_row *system;
	enum kh_err e = kh_txn_load(line->txn, KH_TABLE_SYSTEM, 1, &system);

	if (e == KH_EUNKNOWN || (e == KH_OK && system->id_key.n != sizeof(line->id_key)))
		return kh_error_set(line->txn->err, KH_ESTORE, "store_corrupt", "the store has no system row");
	if (e == KH_OK)
		memcpy(line->id_key, system->id_key.p, sizeof(line->id_key));
	return e;
}

enum kh_err kh_eventline_init(struct kh_eventline *line, struct kh_txn *txn)
{
	*line = (struct kh_eventline){.txn = txn};
	kh_arena_init(&line->arena, NULL, MEMORY);
	enum kh_err e = read_key(line);
	if (e != KH_OK)
		kh_arena_done(&line->arena);
	return e;
}

void kh_eventline_done(struct kh_eventline *line)
{
	kh_arena_done(&line->arena);
}

const struct kh_eventline_name *kh_eventline_by(struct kh_eventline *line, int64_t token)
{
	static const struct kh_eventline_name keyhole = {.name = "keyhole"};
	struct kh_eventline_name *name = &line->names[(uint64_t)token % KH_EVENTLINE_NAMES];
	struct kh_token_row row;

	if (token == 0)
		return &keyhole;
	if (name->token == token)
		return name;
	struct kh_view id = kh_publicid_text(&line->arena, line->id_key, KH_ID_TOKEN, token);
	*name = (struct kh_eventline_name){.token = token};
	snprintf(name->id, sizeof(name->id), "%.*s", KH_FMT(id));
	if (kh_txn_peek(line->txn, KH_TABLE_TOKENS, token, &row) == KH_OK)
		snprintf(name->name, sizeof(name->name), "%.*s", KH_FMT(row.name));
	else
		snprintf(name->name, sizeof(name->name), "%.*s", KH_FMT(id));
	return name;
}

struct kh_view kh_eventline_id(struct kh_eventline *line, int64_t id)
{
	return kh_publicid_text(&line->arena, line->id_key, KH_ID_EVENT, id);
}

struct kh_view kh_eventline_task(struct kh_eventline *line, int64_t chain)
{
	return chain == 0 ? KH_LIT("system") : kh_publicid_text(&line->arena, line->id_key, KH_ID_TASK, chain);
}

struct kh_view kh_eventline_reasons(struct kh_eventline *line, int64_t effect, struct kh_view recorded)
{
	struct kh_effect_row *row;

	if (recorded.n == 0 || kh_txn_load(line->txn, KH_TABLE_EFFECTS, effect, &row) != KH_OK)
		return KH_LIT("");
	struct kh_digest digest = kh_canonical_digest(row->reasons);
	return kh_view_eq(kh_canonical_hex(&line->arena, &digest), recorded) ? row->reasons : KH_LIT("");
}

static void emit_because(struct kh_eventline *line, yyjson_val *event, struct kh_emit *emit)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(kh_json_get(event, "set"));
	yyjson_val *item;
	int64_t id = 0;

	kh_emit_key(emit, "because");
	kh_emit_array(emit);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		struct kh_view recorded = kh_json_str(kh_json_get(yyjson_arr_get(item, 2), "reasons"));
		if (!kh_view_eq(kh_json_str(yyjson_arr_get(item, 0)), KH_LIT("effects")) ||
		    !kh_json_int(yyjson_arr_get(item, 1), &id))
			continue;
		struct kh_view reasons = kh_eventline_reasons(line, id, recorded);
		if (reasons.n == 0 || kh_utf8_invalid(reasons) != SIZE_MAX)
			continue;
		kh_emit_array(emit);
		kh_emit_int(emit, id);
		kh_emit_text(emit, reasons);
		kh_emit_end(emit);
	}
	kh_emit_end(emit);
}

/* A member that is null if TEXT is empty. */
static void emit_if(struct kh_emit *emit, const char *name, struct kh_view text)
{
	kh_emit_key(emit, name);
	if (text.n > 0)
		kh_emit_text(emit, text);
	else
		kh_emit_null(emit);
}

/* The body is copied unchanged, so that a reader can hash it again.  A body that is not JSON becomes a string. */
static void write(struct kh_eventline *line, const struct kh_audit_entry *entry, bool whole, struct kh_buf *buf)
{
	const struct kh_eventline_name *by;
	struct kh_emit emit;
	yyjson_val *root = NULL;

	kh_arena_clear(&line->arena);
	by = kh_eventline_by(line, entry->by);
	bool is_json = kh_json_read(&line->arena, entry->body, &root, NULL) == KH_OK;
	kh_emit_init(&emit, buf);
	kh_emit_object(&emit);
	if (whole)
		emit_because(line, is_json ? root : NULL, &emit);
	kh_emit_key(&emit, "event");
	if (is_json)
		kh_emit_raw(&emit, entry->body);
	else
		kh_emit_text(&emit, kh_arena_quote(&line->arena, entry->body));
	if (whole)
		emit_if(&emit, "follows", entry->prev != 0 ? kh_eventline_id(line, entry->prev) : KH_LIT(""));
	kh_emit_add_digest(&emit, "hash", &entry->hash);
	kh_emit_add(&emit, "id", kh_eventline_id(line, entry->id));
	kh_emit_add_word(&emit, "name", by->name);
	emit_if(&emit, "principal", by->token != 0 ? kh_view_str(by->id) : KH_LIT(""));
	emit_if(&emit, "task", entry->chain != 0 ? kh_eventline_task(line, entry->chain) : KH_LIT(""));
	kh_emit_end(&emit);
	kh_buf_byte(buf, '\n');
}

void kh_eventline_json(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf)
{
	write(line, entry, false, buf);
}

void kh_eventline_whole(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf)
{
	write(line, entry, true, buf);
}
