/* The list of approvals.  Changes nothing. */
#include "engine/approval/list.h"

#include "engine/approval/follow.h"
#include "engine/state/find.h"

static enum kh_err add_decision(struct kh_op *op, const struct kh_approval_row *row, yyjson_mut_doc *doc,
				yyjson_mut_val *obj)
{
	struct kh_token_row decider;

	if (row->decided_by == 0)
		return KH_OK;
	enum kh_err e = kh_txn_peek(op->txn, KH_TABLE_TOKENS, row->decided_by, &decider);
	if (e != KH_OK)
		return e;
	kh_op_add_time(op, doc, obj, "decided_at", row->decided_at);
	kh_json_add(doc, obj, "decided_by", decider.name);
	kh_json_add(doc, obj, "decided_from", row->decided_from);
	return KH_OK;
}

static enum kh_err add_row(struct kh_op *op, const struct kh_approval_row *row, yyjson_mut_doc *doc,
			   yyjson_mut_val *list)
{
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, list);

	kh_json_add(doc, obj, "id", kh_op_id(op, KH_ID_APPROVAL, row->id));
	kh_json_add(doc, obj, "kind", kh_view_str(kh_words_name(&kh_rows_approval_kind_words, row->kind)));
	kh_json_add(doc, obj, "state",
		    kh_view_str(kh_words_name(&kh_grant_approval_words, kh_approval_state(row, op->now))));
	kh_json_add(doc, obj, "task", row->task != 0 ? kh_op_id(op, KH_ID_TASK, row->task) : KH_LIT(""));
	kh_op_add_id(op, doc, obj, "query", KH_ID_QUERY, row->query);
	kh_json_add(doc, obj, "operation", row->operation);
	yyjson_mut_obj_add_str(doc, obj, "decides", kh_approval_decides(row));
	yyjson_mut_obj_add_sint(doc, obj, "pages", row->pages);
	kh_json_add(doc, obj, "digest", kh_canonical_hex(op->arena, &row->digest));
	kh_op_add_time(op, doc, obj, "requested_at", row->requested_at);
	kh_op_add_time(op, doc, obj, "expires_at", row->expires_at);
	return add_decision(op, row, doc, obj);
}

/* A6, K7: a supervisor's list has only what it may decide. */
static enum kh_err may_decide(struct kh_op *op, const struct kh_approval_row *row, bool *ret_yes)
{
	const struct kh_approval_follow *follow = kh_approval_follow(op, row);

	*ret_yes = op->caller->role != KH_ROLE_SUPERVISOR;
	return *ret_yes || follow->is_agents == NULL ? KH_OK : follow->is_agents(op, row, ret_yes);
}

/* Makes one page of the list. */
static enum kh_err add_rows(struct kh_op *op, struct kh_page *list, int64_t after, yyjson_mut_doc *doc,
			    yyjson_mut_val *array)
{
	enum kh_index index = list->all ? KH_INDEX_APPROVALS : KH_INDEX_APPROVALS_PENDING;
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_txn_find(op->txn, index, 0, KH_LIT(""), after, KH_APPROVAL_LIST_STEP, &ids, &count);

	for (size_t i = 0; e == KH_OK && i < count; i++) {
		struct kh_approval_row row;
		e = kh_txn_peek(op->txn, KH_TABLE_APPROVALS, ids[i], &row);
		bool yes = true;
		if (e == KH_OK)
			e = may_decide(op, &row, &yes);
		if (e == KH_OK && yes)
			e = add_row(op, &row, doc, array);
	}
	if (e == KH_OK)
		e = kh_op_page(op, array, false, list);
	/* A supervisor's page may be shorter than what was looked through. */
	if (e == KH_OK)
		list->next = count == KH_APPROVAL_LIST_STEP ? kh_op_id(op, KH_ID_APPROVAL, ids[count - 1])
							    : (struct kh_view){NULL, 0};
	return e;
}

enum kh_err kh_approval_list_run(struct kh_op *op, void *call)
{
	struct kh_page *list = call;
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *array = yyjson_mut_arr(doc);
	int64_t after = 0;

	if (doc == NULL || array == NULL)
		return KH_ENOMEM;
	if (list->after.n > 0 && !kh_op_number(op, KH_ID_APPROVAL, list->after, &after))
		return kh_error_set(op->err, KH_EUNKNOWN, "unknown_approval", "there is none to go on from");
	return add_rows(op, list, after, doc, array);
}
