/*
 * What a Reader sent.  It is judged outside of the transaction (judge.h).  This file only does what follows from the
 * verdict: the Reader is asked again, or for another round (B14), or the answer is held for a reviewer, or it is ready.
 * What the Reader wrote is kept sealed.
 */
#include "engine/query/respond.h"

#include "engine/approval/approval.h"
#include "engine/query/judge.h"
#include "engine/query/settle.h"
#include "engine/state/find.h"

#define WHAT_LIMIT (1U << 20)

struct answering {
	struct kh_op *op;
	struct kh_effect_row *effect;
	struct kh_query_row *query;
	struct kh_task_row *task;
	struct kh_context_row *context;
	const struct kh_judge *judged; /* NULL: there is no response */
};

static enum kh_err load(struct kh_op *op, struct kh_effect_row *effect, struct answering *ret)
{
	*ret = (struct answering){.op = op, .effect = effect};
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_QUERIES, effect->query, &ret->query);
	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TASKS, effect->task, &ret->task);
	return e == KH_OK ? kh_txn_load(op->txn, KH_TABLE_CONTEXTS, ret->query->context, &ret->context) : e;
}

/* {"reasons":["too_many_words",...],"size":12,"verdict":"reject"} */
static struct kh_view judgement(struct answering *a, const struct kh_reasons *reasons, size_t size)
{
	struct kh_emit what;

	kh_op_describe(a->op, &what);
	if (reasons != NULL)
		kh_op_describe_codes(&what, "reasons", reasons);
	kh_emit_add_int(&what, "size", (int64_t)size);
	kh_emit_add(&what, "verdict", a->effect->verdict);
	return kh_op_described(a->op, &what);
}

static enum kh_err record(struct answering *a, enum kh_audit_kind kind, const struct kh_reasons *reasons, size_t size)
{
	return kh_op_event(a->op, kind, a->task, judgement(a, reasons, size));
}

static void end_ask(struct answering *a, enum kh_effect_state state, const char *verdict)
{
	a->effect->state = state;
	a->effect->verdict = kh_view_str(verdict);
	a->effect->ended_at = a->op->now;
}

/* B16: asks again, up to the limit, and says WHY.  The event that the caller records next writes the change. */
static enum kh_err try_again(struct answering *a, const char *why, bool *ret_again)
{
	*ret_again = (uint64_t)a->query->tries < a->op->policy->budgets.retries;
	if (!*ret_again)
		return KH_OK;
	a->query->tries++;
	return kh_ask_put(a->op, a->query, a->effect->prev, kh_view_str(why));
}

enum kh_err kh_respond_fail(struct kh_op *op, struct kh_effect_row *effect, enum kh_reader_fault fault,
			    struct kh_view detail)
{
	struct answering a;
	bool again;
	enum kh_err e = load(op, effect, &a);

	if (e != KH_OK)
		return e;
	end_ask(&a, KH_EFFECT_FAILED, kh_words_name(&kh_reader_fault_words, fault));
	effect->reasons = kh_arena_dup(op->arena, detail);
	e = try_again(&a, kh_words_name(&kh_reader_fault_words, fault), &again);
	if (e == KH_OK)
		e = record(&a, KH_AUDIT_ASK_FAILED, NULL, 0);
	return e == KH_OK && !again
		       ? kh_settle_ready(op, a.query, KH_OUTCOME_FAILED, kh_words_name(&kh_reader_fault_words, fault))
		       : e;
}

/* The responses of the rounds before, which cannot change any more. */
static enum kh_err add_rounds(struct answering *a, struct kh_judge *j)
{
	struct kh_effect_row *effect = a->effect;
	enum kh_err e = KH_OK;

	for (size_t round = j->round; e == KH_OK; round--) {
		j->rounds[round] = (struct kh_judge_round){kh_op_id(a->op, KH_ID_ASK, effect->id), effect->raw};
		if (round == 0)
			break;
		e = kh_txn_load(a->op->txn, KH_TABLE_EFFECTS, effect->prev, &effect);
	}
	return e;
}

/* What judging needs, if it has not been done yet. */
static enum kh_err want(struct answering *a, const struct kh_respond *call, const struct kh_recent_ids *recent,
			struct kh_view key)
{
	struct kh_judge *j = KH_NEW(a->op->arena, struct kh_judge);

	if (j == NULL)
		return KH_ENOMEM;
	*j = (struct kh_judge){.body = a->query->body,
			       .read = a->effect->round == 0 ? call->asked : NULL,
			       .round = (size_t)a->effect->round,
			       .recent_count = recent->n};
	enum kh_err e = kh_recent_load(a->op, recent, &j->recent);
	if (e == KH_OK)
		e = add_rounds(a, j);
	return e == KH_OK ? kh_beforehand_want(a->op, kh_judge_run, key, j) : e;
}

static enum kh_err find_judged(struct answering *a, const struct kh_respond *call)
{
	struct kh_recent_ids recent = {0};
	enum kh_err e = a->query->category > 1 ? kh_recent_coming(a->op, a->context, &recent) : KH_OK;

	if (e == KH_OK && (a->effect->round < 0 || a->effect->round >= KH_JUDGE_ROUNDS))
		e = kh_error_set(a->op->err, KH_ESTORE, "store_corrupt", "a query has no such round");
	if (e != KH_OK)
		return e;
	struct kh_view key = kh_judge_key(a->op->arena, call->response, (size_t)a->effect->round, &recent);
	if (key.p == NULL)
		return KH_ENOMEM;
	a->judged = kh_beforehand_find(a->op, kh_judge_run, key);
	return a->judged != NULL ? KH_OK : want(a, call, &recent, key);
}

/* [{"id":"b...","source":"...","taint":"high"},...]: where the text came from, without content. */
static enum kh_err review_source(struct answering *a, struct kh_view *ret_json)
{
	struct kh_op *op = a->op;
	int64_t *ids = NULL;
	size_t count = 0;
	struct kh_emit emit;
	enum kh_err e = kh_op_ids(op, a->query->blocks, &ids, &count);

	kh_emit_begin(&emit, op->arena, WHAT_LIMIT);
	kh_emit_array(&emit);
	for (size_t i = 0; e == KH_OK && i < count; i++) {
		struct kh_block_row block;
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, ids[i], &block);
		if (e != KH_OK)
			break;
		kh_emit_object(&emit);
		kh_emit_add(&emit, "id", kh_op_id(op, KH_ID_BLOCK, block.id));
		kh_emit_add(&emit, "source", block.source);
		kh_emit_add_word(&emit, "taint", kh_words_name(&kh_label_taint_words, block.taint));
		kh_emit_end(&emit);
	}
	kh_emit_end(&emit);
	return e == KH_OK ? kh_emit_finish(&emit, ret_json) : e;
}

/* B13, B15: a human reviews it first. */
static enum kh_err hold(struct answering *a)
{
	struct kh_op *op = a->op;
	struct kh_approval_row *approval;
	struct kh_approval_request request = {
		.kind = a->query->category == 3 ? KH_APPROVE_SUMMARY : KH_APPROVE_ANSWER,
		.task = a->task,
		.query = a->query,
		.untrusted = true,
		.text = a->judged->text,
		.marks = &a->judged->answer.reasons,
		.operation = KH_LIT("bcp.deliver"),
		.arguments = kh_canonical_digest(a->query->body),
		.content = a->judged->digest,
	};

	if ((uint64_t)a->task->pending >= op->policy->approvals.max_pending)
		return kh_settle_ready(op, a->query, KH_OUTCOME_FAILED, "too_many_pending");
	enum kh_err e = review_source(a, &request.source);
	if (e != KH_OK)
		return e;
	a->query->state = KH_QUERY_HELD;
	if (a->query->pending_at == 0)
		a->query->pending_at = kh_settle_slot(op, a->query);
	e = kh_op_event(op, KH_AUDIT_QUERY_HELD, a->task, KH_LIT(""));
	return e == KH_OK ? kh_approval_request(op, &request, &approval) : e;
}

/* After a verdict that is not a rejection: another round, a reviewer, or done. */
static enum kh_err accept(struct answering *a, size_t size)
{
	const struct kh_judge *judged = a->judged;
	enum kh_err e = KH_OK;

	if (judged->more) {
		a->query->round++;
		e = kh_ask_put(a->op, a->query, a->effect->id, KH_LIT(""));
	} else {
		a->query->held = judged->held;
		a->query->length = judged->asked.bound;
	}
	if (e != KH_OK)
		return e;
	end_ask(a, KH_EFFECT_DONE, kh_words_name(&kh_answer_verdict_words, judged->answer.verdict));
	if (!judged->more && judged->answer.verdict == KH_VERDICT_DELIVER)
		return kh_settle_accepted(a->op, a->query, judgement(a, &judged->answer.reasons, size));
	e = record(a, KH_AUDIT_RESPONSE_JUDGED, &judged->answer.reasons, size);
	return e == KH_OK && !judged->more ? hold(a) : e;
}

static enum kh_err reject(struct answering *a, size_t size)
{
	bool again;

	end_ask(a, KH_EFFECT_DONE, kh_words_name(&kh_answer_verdict_words, KH_VERDICT_REJECT));
	enum kh_err e = try_again(a, a->judged->answer.rejected, &again);
	if (e == KH_OK)
		e = record(a, KH_AUDIT_RESPONSE_JUDGED, &a->judged->answer.reasons, size);
	return e == KH_OK && !again ? kh_settle_ready(a->op, a->query, KH_OUTCOME_FAILED, "invalid") : e;
}

static enum kh_err take(struct answering *a, struct kh_respond *call)
{
	size_t size = kh_tainted_size(call->response);

	a->effect->raw = call->response;
	enum kh_err e = find_judged(a, call);
	if (e != KH_OK)
		return e;
	a->effect->raw = kh_tainted_first(call->response, a->judged->most);
	a->effect->expires_at = kh_engine_keep_until(a->op->engine, a->op->now);
	a->effect->reasons = a->judged->reasons;
	call->code = a->judged->verdict == KH_VERDICT_REJECT ? "invalid" : "accepted";
	call->why = a->judged->verdict == KH_VERDICT_REJECT ? a->judged->answer.rejected : NULL;
	return a->judged->verdict == KH_VERDICT_REJECT ? reject(a, size) : accept(a, size);
}

/* The ask that the caller names.  A Reader that names another Reader's ask is refused, and that is recorded (B4). */
static enum kh_err find_effect(struct kh_op *op, const struct kh_respond *call, struct kh_effect_row **ret_effect)
{
	int64_t id = call->effect;

	if (op->caller == NULL)
		return kh_txn_load(op->txn, KH_TABLE_EFFECTS, id, ret_effect);
	if (!kh_op_number(op, KH_ID_ASK, call->ask, &id) || kh_engine_reader(op->engine, op->caller->name) != NULL)
		return KH_EUNKNOWN;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_EFFECTS, id, ret_effect);
	return e == KH_OK && !kh_view_eq((*ret_effect)->reader, op->caller->name) ? KH_EUNKNOWN : e;
}

enum kh_err kh_respond_prepare(struct kh_prepare *at, void *call)
{
	const struct kh_respond *respond = call;

	at->rehearse = respond->fault == KH_READER_OK && kh_tainted_size(respond->response) <= KH_ANSWER_BYTES;
	return KH_OK;
}

enum kh_err kh_respond_run(struct kh_op *op, void *arg)
{
	struct kh_respond *call = arg;
	struct kh_effect_row *effect = NULL;
	struct answering a;
	bool there;

	call->code = "closed";
	call->why = NULL;
	enum kh_err e = find_effect(op, call, &effect);
	if (e == KH_EUNKNOWN && !op->rehearses)
		return kh_op_refuse(
			op, KH_AUDIT_REFUSED, NULL,
			KH_LIT("{\"code\":\"unknown_query\",\"operation\":\"query.respond\"}"),
			kh_error_set(op->err, e, "unknown_query", "no query with this query_id waits for you"));
	if (e == KH_OK)
		e = load(op, effect, &a);
	if (e != KH_OK)
		return e;
	call->query = a.query;
	if (!op->rehearses)
		e = kh_settle_due(op, a.query);
	if (e != KH_OK || a.query->state != KH_QUERY_ASKING || a.query->effect != effect->id ||
	    (effect->state != KH_EFFECT_BEGUN && (op->caller != NULL || effect->state != KH_EFFECT_WAITING)))
		return e;
	if (call->fault == KH_READER_OK && kh_tainted_size(call->response) > KH_ANSWER_BYTES)
		call->fault = KH_READER_GARBAGE;
	if (call->fault != KH_READER_OK) {
		call->code = "invalid";
		call->why = kh_words_name(&kh_reader_fault_words, call->fault);
		e = kh_respond_fail(op, effect, call->fault, call->detail);
	} else {
		e = take(&a, call);
	}
	if (e != KH_OK || a.query->state != KH_QUERY_ASKING || kh_engine_reader(op->engine, a.query->reader) == NULL)
		return e;
	e = kh_ask_check(op, a.query, &there);
	if (e != KH_OK || !there)
		return e;
	e = kh_txn_load(op->txn, KH_TABLE_EFFECTS, a.query->effect, &effect);
	return e == KH_OK ? kh_ask_prepare(op, effect, a.query, a.judged != NULL ? &a.judged->next : NULL, &call->next)
			  : e;
}

enum kh_err kh_respond_finish(struct kh_engine *engine, struct kh_arena *arena, void *call, struct kh_error *err)
{
	struct kh_respond *respond = call;

	return kh_ask_finish(engine, arena, &respond->next, err);
}
