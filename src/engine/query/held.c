/* What a decision does to its query. */
#include "engine/query/held.h"

#include "core/bcp/answer.h"
#include "core/policy/account.h"
#include "engine/query/ask.h"
#include "engine/query/settle.h"
#include "engine/state/find.h"

enum kh_err kh_held_ask(struct kh_op *op, struct kh_query_row *query)
{
	struct kh_task_row *task;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TASKS, query->task, &task);

	if (e == KH_OK)
		e = kh_ask_put(op, query, 0);
	if (e != KH_OK)
		return e;
	query->state = KH_QUERY_ASKING;
	return kh_own_event(op, KH_AUDIT_QUERY_ASKED, task, KH_LIT(""));
}

enum kh_err kh_held_deliver(struct kh_op *op, struct kh_query_row *query)
{
	return kh_settle_ready(op, query, KH_OUTCOME_DELIVERED, NULL);
}

/* A summary may be given as its text alone. */
static enum kh_err as_response(struct kh_op *op, const struct kh_query *query, struct kh_tainted edited,
			       struct kh_tainted *ret_response)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_view text, json;

	*ret_response = edited;
	if (query->category != 3)
		return KH_OK;
	text = kh_tainted_open(edited);
	if (text.n > 0 && text.p[0] == '{')
		return KH_OK;
	kh_json_add(doc, obj, "summary", text);
	enum kh_err e = kh_json_write(op->arena, obj, &json);
	if (e == KH_EINPUT)
		return kh_error_set(op->err, KH_EREFUSED, "bad_edit", "it is not UTF-8");
	if (e == KH_OK)
		*ret_response = kh_tainted_wrap(json);
	return e;
}

enum kh_err kh_held_edit(struct kh_op *op, struct kh_query_row *query, struct kh_tainted edited,
			 struct kh_view *ret_normalised)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	struct kh_tainted response;
	struct kh_answer answer;
	struct kh_query asked;
	enum kh_err e = kh_ask_query(op, query, 0, &asked);

	if (e == KH_OK)
		e = as_response(op, &asked, edited, &response);
	if (e == KH_OK)
		e = kh_answer_judge(op->screen, op->arena, &asked, response, (struct kh_recent){0}, &answer);
	if (e != KH_OK)
		return e;
	if (answer.verdict == KH_VERDICT_REJECT) {
		kh_error_reason(op->err, KH_EREFUSED, &answer.reasons);
		op->err->code = "bad_edit";
		return KH_EREFUSED;
	}
	e = kh_json_write(op->arena, kh_answer_write(&answer, &asked, doc), &query->held);
	if (e != KH_OK)
		return e;
	query->length = answer.charged;
	*ret_normalised = query->held;
	return KH_OK;
}

enum kh_err kh_held_end(struct kh_op *op, struct kh_query_row *query, enum kh_outcome outcome, const char *reason)
{
	return kh_settle_ready(op, query, outcome, reason);
}
