/* What a decision does to its query. */
#include "engine/query/held.h"

#include "core/policy/account.h"
#include "engine/query/ask.h"
#include "engine/query/judge.h"
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

/* --- an edit, judged outside of the transaction (beforehand.h) --------------------------------------------------- */

struct editing {
	struct kh_view body; /* of the query */
	struct kh_tainted edited;
	/* out */
	struct kh_query asked;
	struct kh_answer answer;
	bool unreadable;     /* it is not UTF-8 */
	struct kh_view held; /* what will be delivered, if it is not rejected */
	struct kh_digest digest;
};

/* A summary may be given as its text alone. */
static enum kh_err as_response(struct kh_arena *arena, struct editing *of, struct kh_tainted *ret_response)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_view text, json;

	*ret_response = of->edited;
	if (of->asked.category != 3)
		return KH_OK;
	text = kh_tainted_open(of->edited);
	if (text.n > 0 && text.p[0] == '{')
		return KH_OK;
	kh_json_add(doc, obj, "summary", text);
	enum kh_err e = kh_json_write(arena, obj, &json);
	if (e == KH_OK)
		*ret_response = kh_tainted_wrap(json);
	of->unreadable = e == KH_EINPUT;
	return of->unreadable ? KH_OK : e;
}

static enum kh_err judge(struct kh_prepare *at, void *work)
{
	struct kh_screen *screen = kh_beforehand_screen(at);
	struct editing *editing = work;
	struct kh_tainted response;
	enum kh_err e = screen != NULL ? kh_judge_query(at->arena, editing->body, 0, &editing->asked, at->err)
				       : KH_ENOMEM;

	if (e == KH_OK)
		e = as_response(at->arena, editing, &response);
	if (e != KH_OK || editing->unreadable)
		return e;
	e = kh_answer_judge(screen, at->arena, &editing->asked, response, (struct kh_recent){0}, &editing->answer);
	if (e != KH_OK || editing->answer.verdict == KH_VERDICT_REJECT)
		return e;
	e = kh_json_write(at->arena, kh_answer_write(&editing->answer, &editing->asked, kh_json_new(at->arena)),
			  &editing->held);
	if (e == KH_OK)
		editing->digest = kh_canonical_digest(editing->held);
	return e;
}

/* The edit of QUERY's answer, judged.  There is one in a call, so the query's id is its key. */
static enum kh_err find_edit(struct kh_op *op, const struct kh_query_row *query, struct kh_tainted edited,
			     const struct editing **ret_editing)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): check() has seen that there is a query */
	struct kh_view key = kh_op_id(op, KH_ID_QUERY, query->id);
	struct editing *editing = kh_beforehand_find(op, judge, key);

	*ret_editing = editing;
	if (editing != NULL)
		return KH_OK;
	editing = KH_NEW(op->arena, struct editing);
	if (editing == NULL)
		return KH_ENOMEM;
	*editing = (struct editing){.body = query->body, .edited = edited};
	return kh_beforehand_want(op, judge, key, editing);
}

static enum kh_err take_edit(struct kh_op *op, struct kh_query_row *query, const struct editing *editing)
{
	if (editing->unreadable)
		return kh_error_set(op->err, KH_EREFUSED, "bad_edit", "it is not UTF-8");
	if (editing->answer.verdict == KH_VERDICT_REJECT) {
		kh_error_reason(op->err, KH_EREFUSED, &editing->answer.reasons);
		op->err->code = "bad_edit";
		return KH_EREFUSED;
	}
	query->held = editing->held;
	query->length = editing->asked.bound;
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
	const struct editing *editing = NULL;
	struct kh_query_row *query;
	enum kh_err e = load(op, approval, &query);

	if (e == KH_OK)
		e = find_edit(op, query, choice->edited, &editing);
	if (e == KH_OK)
		e = take_edit(op, query, editing);
	if (e != KH_OK)
		return e;
	approval->edited = editing->held;
	approval->content = editing->digest; /* the grant is only for this */
	return KH_OK;
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
