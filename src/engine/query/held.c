/* What a decision does to its query. */
#include "engine/query/held.h"

#include "core/bcp/answer.h"
#include "core/policy/account.h"
#include "engine/query/ask.h"
#include "engine/query/outward.h"
#include "engine/query/settle.h"
#include "engine/state/find.h"

/* An escalation was approved: the query goes to its Reader. */
static enum kh_err ask(struct kh_op *op, struct kh_query_row *query)
{
	struct kh_task_row *task;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TASKS, query->task, &task);

	if (e == KH_OK && query->egress > 0)
		e = kh_outward_send(op, query);
	if (e == KH_OK)
		e = kh_ask_put(op, query, 0, KH_LIT(""));
	if (e != KH_OK)
		return e;
	query->state = KH_QUERY_ASKING;
	return kh_op_event(op, KH_AUDIT_QUERY_ASKED, task, KH_LIT(""));
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

/* *RET_NORMALISED is what will be delivered. */
static enum kh_err judge(struct kh_op *op, struct kh_query_row *query, struct kh_tainted edited,
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
	query->length = asked.bound;
	*ret_normalised = query->held;
	return KH_OK;
}

/* --- what follows ------------------------------------------------------------------------------------------------- */

static bool is_answer(const struct kh_approval_row *approval)
{
	return approval->kind == KH_APPROVE_ANSWER || approval->kind == KH_APPROVE_SUMMARY;
}

/* The query that waits for the approval; *RET_QUERY is NULL if there is none. */
static enum kh_err load(struct kh_op *op, const struct kh_approval_row *approval, struct kh_query_row **ret_query)
{
	*ret_query = NULL;
	return approval->query != 0 ? kh_txn_load(op->txn, KH_TABLE_QUERIES, approval->query, ret_query) : KH_OK;
}

static enum kh_err due(struct kh_op *op, const struct kh_approval_row *approval)
{
	struct kh_query_row *query;
	enum kh_err e = load(op, approval, &query);

	return e == KH_OK && query != NULL ? kh_settle_due(op, query) : e;
}

static enum kh_err check(struct kh_op *op, const struct kh_approval_row *approval, struct kh_approval_choice *choice)
{
	enum kh_query_state waits = is_answer(approval) ? KH_QUERY_HELD : KH_QUERY_APPROVAL;
	struct kh_query_row *query;
	enum kh_err e = load(op, approval, &query);

	if (e == KH_OK && choice->choice == KH_CHOICE_EDIT && (!is_answer(approval) || query == NULL))
		return kh_error_set(op->err, KH_EREFUSED, "not_editable",
				    "only an answer, a summary, a declaration or a call can be edited");
	if (e == KH_OK && query != NULL && (query->approval != approval->id || query->state != waits))
		e = kh_error_set(op->err, KH_EREFUSED, "query_ended", "the query does not wait for it any more");
	return e;
}

static enum kh_err edit(struct kh_op *op, struct kh_approval_row *approval, const struct kh_approval_choice *choice)
{
	struct kh_query_row *query;
	enum kh_err e = load(op, approval, &query);

	if (e == KH_OK)
		e = judge(op, query, choice->edited, &approval->edited);
	if (e == KH_OK)
		approval->content = kh_canonical_digest(approval->edited); /* the grant is only for this */
	return e;
}

static enum kh_err decided(struct kh_op *op, const struct kh_approval_row *approval)
{
	struct kh_query_row *query;
	enum kh_err e = load(op, approval, &query);

	if (e != KH_OK || query == NULL)
		return e;
	if (approval->state == KH_APPROVAL_REJECTED)
		return kh_settle_ready(op, query, KH_OUTCOME_REJECTED, "rejected");
	return is_answer(approval) ? kh_settle_ready(op, query, KH_OUTCOME_DELIVERED, NULL) : ask(op, query);
}

static enum kh_err expired(struct kh_op *op, const struct kh_approval_row *approval)
{
	struct kh_query_row *query;
	enum kh_err e = load(op, approval, &query);

	if (e != KH_OK || query == NULL || query->approval != approval->id ||
	    (query->state != KH_QUERY_APPROVAL && query->state != KH_QUERY_HELD))
		return e;
	return kh_settle_ready(op, query, KH_OUTCOME_EXPIRED, "approval_expired");
}

const struct kh_approval_follow kh_held_follow = {
	.due = due,
	.check = check,
	.edit = edit,
	.decided = decided,
	.expired = expired,
};
