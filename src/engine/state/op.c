/* What every operation does with its rows and the record. */
#include "engine/state/op.h"

#include "base/timestamp.h"

#include "base/buf.h"
#include "engine/state/refusals.h"
#include "store/kept.h"

#define IDS_LIMIT  (32U << 20)
#define WHAT_LIMIT (1U << 20) /* bytes of what an event says */

bool kh_op_sees_all(const struct kh_op *op)
{
	return op->caller == NULL || op->caller->role == KH_ROLE_REVIEWER || op->caller->role == KH_ROLE_ADMIN;
}

struct kh_view kh_op_id(struct kh_op *op, enum kh_publicid kind, int64_t id)
{
	return kh_publicid_text(op->arena, kh_engine_id_key(op->engine), kind, id);
}

enum kh_err kh_op_page(struct kh_op *op, yyjson_mut_val *items, bool more, struct kh_page *page)
{
	yyjson_mut_val *last = more ? yyjson_mut_obj_get(yyjson_mut_arr_get_last(items), "id") : NULL;

	page->count = yyjson_mut_arr_size(items);
	page->next = kh_view_of(yyjson_mut_get_str(last), yyjson_mut_get_len(last));
	return kh_json_write(op->arena, items, &page->json);
}

bool kh_op_number(const struct kh_op *op, enum kh_publicid kind, struct kh_view id, int64_t *ret_number)
{
	return kh_publicid_parse(kh_engine_id_key(op->engine), kind, id, ret_number);
}

enum kh_err kh_op_forget(struct kh_op *op, int64_t token)
{
	struct kh_kept of = {.token = token};

	return kh_kept_remove(op->txn, KH_KEPT_OF_TOKEN, &of);
}

int64_t kh_op_host(const struct kh_op *op)
{
	return op->caller != NULL && op->caller->role == KH_ROLE_HOST ? op->caller->id : 0;
}

void kh_op_add_id(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, enum kh_publicid kind,
		  int64_t id)
{
	if (id != 0)
		kh_json_add(doc, obj, key, kh_op_id(op, kind, id));
}

void kh_op_add_time(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, int64_t time)
{
	if (time != 0)
		kh_json_add(doc, obj, key, kh_timestamp_text(op->arena, time));
}

enum kh_err kh_op_ids(struct kh_op *op, struct kh_view json, int64_t **ret_ids, size_t *ret_count)
{
	struct kh_view inner = json.n > 0 ? kh_view_sub(json, 1, json.n - 1) : json, piece;
	struct kh_view rest = inner.n > 0 ? inner : (struct kh_view){NULL, 0};
	bool good = json.n == 0 || (kh_view_starts(json, KH_LIT("[")) && kh_view_ends(json, KH_LIT("]")));
	int64_t *ids = KH_NEW_N(op->arena, int64_t, json.n / 2 + 1);
	size_t n = 0;

	if (ids == NULL)
		return KH_ENOMEM;
	while (good && kh_view_split(&rest, ',', &piece))
		good = kh_view_int(piece, &ids[n++]);
	if (!good)
		return kh_error_set(op->err, KH_ESTORE, "store_corrupt", "a list of rows is none");
	*ret_ids = ids;
	*ret_count = n;
	return KH_OK;
}

struct kh_view kh_op_ids_text(struct kh_op *op, const int64_t *ids, size_t count)
{
	struct kh_view text = {NULL, 0};
	struct kh_emit emit;

	kh_emit_begin(&emit, op->arena, IDS_LIMIT);
	kh_emit_array(&emit);
	for (size_t i = 0; i < count; i++)
		kh_emit_int(&emit, ids[i]);
	kh_emit_end(&emit);
	if (kh_emit_finish(&emit, &text) != KH_OK)
		op->arena->failed = true;
	return text;
}

void kh_op_fill_block(const struct kh_op *op, const struct kh_block *block, struct kh_block_row *row)
{
	row->trust = block->trust;
	row->type = block->type;
	row->taint = block->taint;
	row->source = block->source;
	row->content = block->content;
	row->content_hash = block->content_hash;
	row->created_at = op->now;
}

enum kh_err kh_op_make_block(struct kh_op *op, struct kh_block_spec *spec, const enum kh_taint *given,
			     struct kh_block_row *row)
{
	const struct kh_block *block;

	spec->id = kh_op_id(op, KH_ID_BLOCK, row->id);
	spec->created_at = op->now;
	enum kh_err e = kh_arena_check(op->arena);
	if (e == KH_OK)
		e = given != NULL ? kh_block_output(op->arena, spec, *given, &block, op->err)
				  : kh_block_make(op->arena, spec, &block, op->err);
	if (e != KH_OK)
		return e;
	kh_op_fill_block(op, block, row);
	row->put_by = op->caller != NULL ? op->caller->id : 0;
	return KH_OK;
}

enum kh_err kh_op_make_own(struct kh_op *op, struct kh_block_spec *spec, enum kh_taint given, struct kh_block_row *row)
{
	const struct kh_block *block;
	enum kh_err e = kh_op_make_block(op, spec, NULL, row);

	if (e == KH_OK)
		e = kh_block_own(op->arena, spec, given, &block, op->err);
	if (e == KH_OK)
		kh_op_fill_block(op, block, row);
	return e;
}

void kh_op_describe(struct kh_op *op, struct kh_emit *ret_what)
{
	kh_emit_begin(ret_what, op->arena, WHAT_LIMIT);
	kh_emit_object(ret_what);
}

void kh_op_describe_codes(struct kh_emit *what, const char *name, const struct kh_reasons *list)
{
	kh_emit_key(what, name);
	kh_emit_array(what);
	for (size_t i = 0; list != NULL && i < list->n; i++)
		kh_emit_text(what, kh_view_str(list->at[i].code));
	kh_emit_end(what);
}

struct kh_view kh_op_described(struct kh_op *op, struct kh_emit *what)
{
	struct kh_view json = {NULL, 0};

	kh_emit_end(what);
	if (kh_emit_finish(what, &json) != KH_OK)
		op->arena->failed = true;
	return json;
}

enum kh_err kh_op_event(struct kh_op *op, enum kh_audit_kind kind, struct kh_task_row *task, struct kh_view what)
{
	struct kh_audit audit = {
		.kind = kind,
		.task = task,
		.by = op->caller != NULL ? op->caller->id : 0,
		.at = op->now,
		.what = what,
	};
	enum kh_err e = kh_arena_check(op->arena);

	return e == KH_OK ? kh_txn_event(op->txn, &audit) : e;
}

enum kh_err kh_op_refuse(struct kh_op *op, enum kh_audit_kind kind, struct kh_task_row *task, struct kh_view what,
			 enum kh_err why)
{
	op->refused = why;
	return kh_refusals_add(op, kind, task, what);
}
