/*
 * A declaration for humans: what was declared, what the gates and tier 1 said, and the result, with text from outside.
 * A host is shown it as well, but how the operation ended only from its slot on, because a host talks to its agent.
 */
#include "engine/comm/show.h"

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

yyjson_mut_val *kh_comm_show_brief(struct kh_op *op, yyjson_mut_doc *doc, const struct kh_declaration_row *row)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_json_add(doc, obj, "id", kh_op_id(op, KH_ID_DECLARATION, row->id));
	kh_json_add(doc, obj, "task", kh_op_id(op, KH_ID_TASK, row->task));
	kh_json_add(doc, obj, "operation", row->operation);
	yyjson_mut_obj_add_str(doc, obj, "state", state_word(row));
	kh_op_add_time(op, doc, obj, "declared_at", row->declared_at);
	kh_json_add_raw(doc, obj, "parameters", row->parameters);
	if (row->state == KH_DECLARATION_ASKED && row->asks != 0)
		kh_json_add(doc, obj, "approval", kh_op_id(op, KH_ID_APPROVAL, row->asks));
	if (row->state == KH_DECLARATION_DONE && kh_comm_end_block(row) != 0)
		kh_json_add(doc, obj, "block", kh_op_id(op, KH_ID_BLOCK, kh_comm_end_block(row)));
	kh_op_add_id(op, doc, obj, "replaced_by", KH_ID_DECLARATION, row->replaced);
	kh_op_add_id(op, doc, obj, "in_place_of", KH_ID_DECLARATION, row->modified);
	return obj;
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
		kh_op_add_time(op, doc, obj, "purged_at", result->purged_at);
		return KH_OK;
	}
	kh_json_add_raw(doc, obj, "result", result->details);
	return KH_OK;
}

/* When it became known how it ended. */
static int64_t slot_of(const struct kh_declaration_row *row)
{
	return row->release_at != 0 ? row->release_at : row->ended_at;
}

static enum kh_err add_rest(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj,
			    const struct kh_declaration_row *row)
{
	static const struct kh_words *const triage = &kh_rows_triage_words;
	bool known = kh_op_sees_all(op) || row->state != KH_DECLARATION_READY;
	bool said = kh_op_sees_all(op) || row->verdict_at <= op->now;

	kh_json_add_raw(doc, obj, "justification", row->justification);
	kh_json_add(doc, obj, "context", kh_op_id(op, KH_ID_CONTEXT, row->context));
	kh_json_add(doc, obj, "reason", known ? row->reason : KH_LIT(""));
	kh_json_add(doc, obj, "host", row->host);
	yyjson_mut_obj_add_bool(doc, obj, "screened", row->screened != 0);
	yyjson_mut_obj_add_bool(doc, obj, "fenced", row->fenced != 0);
	yyjson_mut_obj_add_str(doc, obj, "triage", kh_words_name(triage, said ? row->triage : KH_TRIAGE_NOT));
	yyjson_mut_obj_add_str(doc, obj, "supervised", kh_words_name(triage, said ? row->supervised : KH_TRIAGE_NOT));
	kh_op_add_id(op, doc, obj, "verified_by", KH_ID_APPROVAL, row->verified);
	kh_op_add_id(op, doc, obj, "asked_by", KH_ID_APPROVAL, row->asks);
	yyjson_mut_obj_add_sint(doc, obj, "egress_bytes", row->egress);
	yyjson_mut_obj_add_uint(doc, obj, "microbits", row->reserved);
	kh_op_add_time(op, doc, obj, "begun_at", row->begun_at);
	if (!known)
		return KH_OK;
	kh_op_add_time(op, doc, obj, "ended_at", kh_op_sees_all(op) ? row->ended_at : slot_of(row));
	/* One that was cut off may have ended: a result would say that it had. */
	return kh_op_sees_all(op) || row->ended != KH_ENDED_UNKNOWN ? add_result(op, doc, obj, row) : KH_OK;
}

/* The declaration itself, even if another one replaced it. */
static enum kh_err find(struct kh_op *op, struct kh_view id, struct kh_declaration_row **ret_row)
{
	int64_t n = 0;
	enum kh_err e = kh_comm_look_find(op, id, ret_row);

	if (e == KH_OK && kh_op_number(op, KH_ID_DECLARATION, id, &n))
		e = kh_txn_load(op->txn, KH_TABLE_DECLARATIONS, n, ret_row);
	return e;
}

enum kh_err kh_comm_show_run(struct kh_op *op, void *call)
{
	struct kh_comm_show *show = call;
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	struct kh_declaration_row *row = NULL;
	enum kh_err e = find(op, show->declaration, &row);

	if (e == KH_OK)
		e = kh_comm_end_due(op, row);
	if (e != KH_OK)
		return e;
	yyjson_mut_val *obj = kh_comm_show_brief(op, doc, row);
	e = add_rest(op, doc, obj, row);
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	return e == KH_OK ? kh_json_write(op->arena, obj, &show->json) : e;
}
