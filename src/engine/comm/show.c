/*
 * A declaration for humans: what was declared, what the gates and tier 1 said, and the result, with text from outside.
 */
#include "engine/comm/show.h"

#include "base/timestamp.h"
#include "engine/comm/end.h"
#include "engine/comm/look.h"
#include "engine/state/find.h"

/* The word for what may be known now: the outcome, or what it waits for. */
static const char *state_word(const struct kh_declaration_row *row)
{
	switch (row->state) {
	case KH_DECLARATION_DECLARED:
		return "declared";
	case KH_DECLARATION_ASKED:
		return "pending";
	case KH_DECLARATION_RUNNING:
	case KH_DECLARATION_READY:
		return "running";
	case KH_DECLARATION_DONE:
		break;
	}
	return kh_words_name(&kh_rows_ended_words, row->ended);
}

static enum kh_err add_json(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key,
			    struct kh_view json)
{
	yyjson_val *root = NULL;
	enum kh_err e = kh_json_read(op->arena, json, &root, op->err);

	if (e == KH_OK)
		yyjson_mut_obj_add_val(doc, obj, key, yyjson_val_mut_copy(doc, root));
	return e;
}

static void add_time(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, int64_t time)
{
	if (time != 0)
		kh_json_add(doc, obj, key, kh_timestamp_text(op->arena, time));
}

enum kh_err kh_comm_show_brief(struct kh_op *op, yyjson_mut_doc *doc, struct kh_declaration_row *row,
			       yyjson_mut_val **ret_object)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_json_add(doc, obj, "id", kh_op_id(op, KH_ID_DECLARATION, row->id));
	kh_json_add(doc, obj, "task", kh_op_id(op, KH_ID_TASK, row->task));
	kh_json_add(doc, obj, "operation", row->operation);
	yyjson_mut_obj_add_str(doc, obj, "state", state_word(row));
	add_time(op, doc, obj, "declared_at", row->declared_at);
	enum kh_err e = add_json(op, doc, obj, "parameters", row->parameters);
	if (row->state == KH_DECLARATION_ASKED && row->asks != 0)
		kh_json_add(doc, obj, "approval", kh_op_id(op, KH_ID_APPROVAL, row->asks));
	if (row->state == KH_DECLARATION_DONE && row->block != 0)
		kh_json_add(doc, obj, "block", kh_op_id(op, KH_ID_BLOCK, row->block));
	if (row->replaced != 0)
		kh_json_add(doc, obj, "replaced_by", kh_op_id(op, KH_ID_DECLARATION, row->replaced));
	if (row->modified != 0)
		kh_json_add(doc, obj, "in_place_of", kh_op_id(op, KH_ID_DECLARATION, row->modified));
	if (e == KH_OK)
		*ret_object = obj;
	return e;
}

/* {"said","why"} and data about the original, which itself is not shown. */
static enum kh_err add_result(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj,
			      const struct kh_declaration_row *row)
{
	struct kh_result_row *result;
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_RESULTS_OF_DECLARATION, row->id, KH_LIT(""), 0, 1, &ids, &count);

	if (e != KH_OK || count == 0)
		return e;
	e = kh_txn_load(op->txn, KH_TABLE_RESULTS, ids[0], &result);
	if (e != KH_OK)
		return e;
	yyjson_mut_obj_add_uint(doc, obj, "original_size", result->original.n);
	if (result->purged_at != 0) {
		add_time(op, doc, obj, "purged_at", result->purged_at);
		return KH_OK;
	}
	return add_json(op, doc, obj, "result", result->details);
}

static enum kh_err add_rest(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj,
			    const struct kh_declaration_row *row)
{
	static const struct kh_words *const triage = &kh_rows_triage_words;
	enum kh_err e = add_json(op, doc, obj, "justification", row->justification);

	kh_json_add(doc, obj, "context", kh_op_id(op, KH_ID_CONTEXT, row->context));
	kh_json_add(doc, obj, "reason", row->reason);
	kh_json_add(doc, obj, "host", row->host);
	yyjson_mut_obj_add_bool(doc, obj, "screened", row->screened != 0);
	yyjson_mut_obj_add_bool(doc, obj, "fenced", row->fenced != 0);
	yyjson_mut_obj_add_str(doc, obj, "triage", kh_words_name(triage, row->triage));
	yyjson_mut_obj_add_str(doc, obj, "supervised", kh_words_name(triage, row->supervised));
	if (row->verified != 0)
		kh_json_add(doc, obj, "verified_by", kh_op_id(op, KH_ID_APPROVAL, row->verified));
	if (row->asks != 0)
		kh_json_add(doc, obj, "asked_by", kh_op_id(op, KH_ID_APPROVAL, row->asks));
	yyjson_mut_obj_add_sint(doc, obj, "egress_bytes", row->egress);
	yyjson_mut_obj_add_uint(doc, obj, "microbits", row->reserved);
	add_time(op, doc, obj, "begun_at", row->begun_at);
	add_time(op, doc, obj, "ended_at", row->ended_at);
	return e == KH_OK ? add_result(op, doc, obj, row) : e;
}

/* The declaration itself, even if another one replaced it. */
static enum kh_err find(struct kh_op *op, struct kh_view id, struct kh_declaration_row **ret_row)
{
	int64_t n = 0;
	enum kh_err e = kh_comm_look_find(op, id, ret_row);

	if (e == KH_OK && kh_publicid_parse(kh_engine_id_key(op->engine), KH_ID_DECLARATION, id, &n))
		e = kh_txn_load(op->txn, KH_TABLE_DECLARATIONS, n, ret_row);
	return e;
}

enum kh_err kh_comm_show_run(struct kh_op *op, void *call)
{
	struct kh_comm_show *show = call;
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	struct kh_declaration_row *row = NULL;
	yyjson_mut_val *obj = NULL;
	enum kh_err e = find(op, show->declaration, &row);

	if (e == KH_OK)
		e = kh_comm_end_due(op, row);
	if (e == KH_OK)
		e = kh_comm_show_brief(op, doc, row, &obj);
	if (e == KH_OK)
		e = add_rest(op, doc, obj, row);
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	return e == KH_OK ? kh_json_write(op->arena, obj, &show->json) : e;
}
