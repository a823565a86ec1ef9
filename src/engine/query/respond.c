/*
 * What a Reader sent.  The core judges the response.  This file only decides what follows from the verdict: the Reader
 * is asked again, or for another round (B14), or the answer is held for a reviewer, or it is ready.  What the Reader
 * wrote is kept sealed.
 */
#include "engine/query/respond.h"

#include "core/bcp/answer.h"
#include "core/bcp/message.h"
#include "core/bcp/repeat.h"
#include "engine/approval/approval.h"
#include "engine/query/recent.h"
#include "engine/query/settle.h"
#include "engine/state/find.h"

#define RAW_LIMIT  (256U << 10) /* bytes of a response */
#define WHAT_LIMIT (1U << 20)

struct answering {
	struct kh_op *op;
	struct kh_effect_row *effect;
	struct kh_query_row *query;
	struct kh_task_row *task;
	struct kh_context_row *context;
	struct kh_query asked; /* of round 0 */
	struct kh_answer answer;
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

static enum kh_err judge(struct answering *a, const struct kh_effect_row *effect, const struct kh_query *query,
			 struct kh_recent recent, struct kh_answer *ret_answer)
{
	struct kh_op *op = a->op;

	return kh_message_judge(op->screen, op->arena, query, kh_op_id(op, KH_ID_ASK, effect->id), effect->raw, recent,
				ret_answer);
}

/* B14: compares the answers of all rounds with the first. */
static enum kh_err compare_rounds(struct answering *a)
{
	struct kh_op *op = a->op;
	const struct kh_effect_row *effect = a->effect;
	struct kh_effect_row *earlier;
	enum kh_err e = KH_OK;

	while (e == KH_OK && effect->round > 0) {
		struct kh_query again;
		struct kh_answer repeated;
		e = kh_ask_query(op, a->query, effect->round, &again);
		if (e == KH_OK)
			e = judge(a, effect, &again, (struct kh_recent){0}, &repeated);
		if (e == KH_OK)
			kh_repeat_compare(&a->answer, &a->asked, &repeated, &again);
		if (e == KH_OK)
			e = kh_txn_load(op->txn, KH_TABLE_EFFECTS, effect->prev, &earlier);
		effect = earlier;
	}
	return e;
}

/* Judges the response of the first round together with what the context was told before.  It is the one delivered. */
static enum kh_err judge_first(struct answering *a)
{
	struct kh_effect_row *effect = a->effect;
	struct kh_recent recent = {0};
	enum kh_err e = KH_OK;

	while (e == KH_OK && effect->round > 0)
		e = kh_txn_load(a->op->txn, KH_TABLE_EFFECTS, effect->prev, &effect);
	if (e == KH_OK && a->asked.category > 1)
		e = kh_recent_coming(a->op, a->context, &recent);
	return e == KH_OK ? judge(a, effect, &a->asked, recent, &a->answer) : e;
}

/* The verdict on this response: in a later round first on its own, then on all rounds together. */
static enum kh_err judge_round(struct answering *a, const struct kh_query *asked, enum kh_verdict *ret_verdict)
{
	struct kh_op *op = a->op;
	struct kh_query again;
	enum kh_err e = KH_OK;

	if (asked != NULL && a->effect->round == 0)
		a->asked = *asked;
	else
		e = kh_ask_query(op, a->query, 0, &a->asked);

	if (e == KH_OK && a->effect->round > 0) {
		e = kh_ask_query(op, a->query, a->effect->round, &again);
		if (e == KH_OK)
			e = judge(a, a->effect, &again, (struct kh_recent){0}, &a->answer);
		if (e != KH_OK || a->answer.verdict == KH_VERDICT_REJECT) {
			*ret_verdict = KH_VERDICT_REJECT;
			return e;
		}
	}
	if (e == KH_OK)
		e = judge_first(a);
	if (e == KH_OK)
		*ret_verdict = a->answer.verdict;
	return e;
}

/* Whether another round is needed; if so, puts it into the outbox. */
static enum kh_err next_round(struct answering *a, bool *ret_next)
{
	struct kh_query again;

	*ret_next = kh_repeat_query(a->op->arena, &a->asked, (unsigned)a->effect->round + 1, &again);
	if (!*ret_next)
		return kh_arena_check(a->op->arena);
	a->query->round++;
	return kh_ask_put(a->op, a->query, a->effect->id, KH_LIT(""));
}

static enum kh_err keep_answer(struct answering *a)
{
	yyjson_mut_doc *doc = kh_json_new(a->op->arena);
	/* In the query's order (B17), which canonical JSON would not keep. */
	enum kh_err e = kh_json_write(a->op->arena, kh_answer_write(&a->answer, &a->asked, doc), &a->query->held);

	a->query->length = a->asked.bound;
	return e;
}

/* The text that a reviewer reads: the summary, or all answers, one in each line. */
static enum kh_err review_text(struct answering *a, struct kh_view *ret_text)
{
	struct kh_buf buf;

	if (a->asked.category != 2) {
		*ret_text = a->asked.category == 3 ? a->answer.values[0].text : a->query->held;
		return KH_OK;
	}
	kh_buf_init(&buf, a->op->arena, WHAT_LIMIT);
	for (size_t i = 0; i < a->asked.question_count; i++) {
		kh_buf_add(&buf, a->asked.questions[i].id);
		kh_buf_lit(&buf, ": ");
		kh_buf_add(&buf, a->answer.values[i].text);
		kh_buf_byte(&buf, '\n');
	}
	return kh_buf_end(&buf, ret_text);
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
		struct kh_block_row *block = NULL;
		e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, ids[i], &block);
		if (e != KH_OK)
			break;
		kh_emit_object(&emit);
		kh_emit_add(&emit, "id", kh_op_id(op, KH_ID_BLOCK, block->id));
		kh_emit_add(&emit, "source", block->source);
		kh_emit_add_word(&emit, "taint", kh_words_name(&kh_label_taint_words, block->taint));
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
		.marks = &a->answer.reasons,
		.operation = KH_LIT("bcp.deliver"),
		.arguments = kh_canonical_digest(a->query->body),
		.content = kh_canonical_digest(a->query->held),
	};

	if ((uint64_t)a->task->pending >= op->policy->approvals.max_pending)
		return kh_settle_ready(op, a->query, KH_OUTCOME_FAILED, "too_many_pending");
	enum kh_err e = review_text(a, &request.text);
	if (e == KH_OK)
		e = review_source(a, &request.source);
	if (e != KH_OK)
		return e;
	a->query->state = KH_QUERY_HELD;
	if (a->query->pending_at == 0)
		a->query->pending_at = kh_settle_slot(op, a->query);
	e = kh_op_event(op, KH_AUDIT_QUERY_HELD, a->task, KH_LIT(""));
	return e == KH_OK ? kh_approval_request(op, &request, &approval) : e;
}

/* For humans: what was found, in this round and in comparison with the others. */
static enum kh_err keep_reasons(struct answering *a)
{
	yyjson_mut_doc *doc = kh_json_new(a->op->arena);

	return a->answer.reasons.n == 0
		       ? KH_OK
		       : kh_json_write(a->op->arena, kh_json_reasons(doc, &a->answer.reasons), &a->effect->reasons);
}

/* After a verdict that is not a rejection: another round, a reviewer, or done. */
static enum kh_err accept(struct answering *a, size_t size, bool *ret_next)
{
	enum kh_err e = next_round(a, ret_next);

	if (e == KH_OK && !*ret_next)
		e = compare_rounds(a);
	if (e == KH_OK)
		e = keep_reasons(a);
	if (e == KH_OK && !*ret_next)
		e = keep_answer(a);
	if (e != KH_OK)
		return e;
	end_ask(a, KH_EFFECT_DONE, kh_words_name(&kh_answer_verdict_words, a->answer.verdict));
	if (!*ret_next && a->answer.verdict == KH_VERDICT_DELIVER)
		return kh_settle_accepted(a->op, a->query, judgement(a, &a->answer.reasons, size));
	e = record(a, KH_AUDIT_RESPONSE_JUDGED, &a->answer.reasons, size);
	return e == KH_OK && !*ret_next ? hold(a) : e;
}

static enum kh_err reject(struct answering *a, size_t size, bool *ret_again)
{
	end_ask(a, KH_EFFECT_DONE, kh_words_name(&kh_answer_verdict_words, KH_VERDICT_REJECT));
	enum kh_err e = keep_reasons(a);
	if (e == KH_OK)
		e = try_again(a, a->answer.rejected, ret_again);
	if (e == KH_OK)
		e = record(a, KH_AUDIT_RESPONSE_JUDGED, &a->answer.reasons, size);
	return e == KH_OK && !*ret_again ? kh_settle_ready(a->op, a->query, KH_OUTCOME_FAILED, "invalid") : e;
}

static enum kh_err take(struct answering *a, struct kh_respond *call)
{
	struct kh_op *op = a->op;
	size_t size = kh_tainted_size(call->response);
	enum kh_verdict verdict = KH_VERDICT_REJECT;
	bool more = false;

	a->effect->raw = call->response;
	a->effect->expires_at = kh_engine_keep_until(op->engine, op->now);
	enum kh_err e = judge_round(a, call->asked, &verdict);
	if (e == KH_OK)
		e = verdict == KH_VERDICT_REJECT ? reject(a, size, &more) : accept(a, size, &more);
	call->code = verdict == KH_VERDICT_REJECT ? "invalid" : "accepted";
	call->why = verdict == KH_VERDICT_REJECT ? a->answer.rejected : NULL;
	return e;
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

enum kh_err kh_respond_run(struct kh_op *op, void *arg)
{
	struct kh_respond *call = arg;
	struct kh_effect_row *effect = NULL;
	struct answering a;
	bool there;

	call->code = "closed";
	call->why = NULL;
	enum kh_err e = find_effect(op, call, &effect);
	if (e == KH_EUNKNOWN)
		return kh_op_refuse(
			op, KH_AUDIT_REFUSED, NULL,
			KH_LIT("{\"code\":\"unknown_query\",\"operation\":\"query.respond\"}"),
			kh_error_set(op->err, e, "unknown_query", "no query with this query_id waits for you"));
	if (e == KH_OK)
		e = load(op, effect, &a);
	if (e != KH_OK)
		return e;
	call->query = a.query;
	e = kh_settle_due(op, a.query);
	if (e != KH_OK || a.query->state != KH_QUERY_ASKING || a.query->effect != effect->id ||
	    (effect->state != KH_EFFECT_BEGUN && (op->caller != NULL || effect->state != KH_EFFECT_WAITING)))
		return e;
	if (call->fault == KH_READER_OK && kh_tainted_size(call->response) > RAW_LIMIT)
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
	return e == KH_OK ? kh_ask_prepare(op, effect, a.query, NULL, &call->next) : e;
}
