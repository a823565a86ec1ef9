/*
 * How a query ends.  Decided, released, settled: see settle.h.  Only this file charges a budget for a query, makes a
 * delivery or raises a context's taint because of one.
 */
#include "engine/query/settle.h"

#include "core/bcp/bits.h"
#include "core/block/block.h"
#include "core/block/taint.h"
#include "core/policy/account.h"
#include "engine/approval/approval.h"
#include "engine/context/derive.h"
#include "engine/state/find.h"
#include "engine/state/tally.h"

/* The rows that change when a query ends. */
struct ending {
	struct kh_op *op;
	struct kh_query_row *query;
	struct kh_task_row *task;
	struct kh_context_row *context;
	struct kh_view what; /* of the event: how the response was judged, if one ends it */
};

static enum kh_err load(struct kh_op *op, struct kh_query_row *query, struct ending *ret_ending)
{
	*ret_ending = (struct ending){.op = op, .query = query};
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TASKS, query->task, &ret_ending->task);
	return e == KH_OK ? kh_txn_load(op->txn, KH_TABLE_CONTEXTS, query->context, &ret_ending->context) : e;
}

/* Ends the open ask, which cannot be answered any more. */
static enum kh_err drop_ask(struct kh_op *op, const struct kh_query_row *query)
{
	struct kh_effect_row *effect;

	if (query->effect == 0)
		return KH_OK;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_EFFECTS, query->effect, &effect);
	if (e == KH_OK && (effect->state == KH_EFFECT_WAITING || effect->state == KH_EFFECT_BEGUN)) {
		effect->state = KH_EFFECT_FAILED;
		effect->verdict = KH_LIT("dropped");
		effect->ended_at = op->now;
	}
	return e;
}

/* A2: the delivery uses the reviewer's grant for a held answer, for exactly what was shown. */
static enum kh_err use_grant(struct ending *s, enum kh_granted *ret_why)
{
	struct kh_op *op = s->op;
	struct kh_approval_row *approval;

	*ret_why = KH_GRANTED;
	if (s->query->approval == 0)
		return KH_OK;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, s->query->approval, &approval);
	if (e != KH_OK || approval->kind == KH_APPROVE_ESCALATION)
		return e;
	struct kh_grant_call call = {
		.context = kh_op_id(op, KH_ID_CONTEXT, s->query->context),
		.task = kh_op_id(op, KH_ID_TASK, s->query->task),
		.operation = KH_LIT("bcp.deliver"),
		.arguments = kh_canonical_digest(s->query->body),
		.content = kh_canonical_digest(s->query->held),
		.policy = op->policy->digest,
	};
	e = kh_approval_use(op, approval, &call, ret_why);
	return e == KH_EREFUSED ? KH_OK : e;
}

/* Makes the delivery a block (B23), which counts as given to the context from now on. */
static enum kh_err write_block(struct ending *s)
{
	struct kh_op *op = s->op;
	struct kh_context_row *context = s->context;
	const struct kh_block *made;
	struct kh_block_row *block;
	enum kh_err e = kh_txn_new(op->txn, KH_TABLE_BLOCKS, &block);

	if (e != KH_OK)
		return e;
	struct kh_block_spec spec = {
		.id = kh_op_id(op, KH_ID_BLOCK, block->id),
		.source = kh_arena_printf(op->arena, "bcp:%.*s", KH_FMT(s->query->reader)),
		.content = s->query->held,
		.created_at = op->now,
	};
	e = kh_arena_check(op->arena);
	if (e == KH_OK)
		e = kh_block_delivery(op->arena, &spec, s->query->reader_taint, &made, op->err);
	if (e == KH_OK)
		e = kh_derive_attribution(op, s->query->blocks, made->content, &block->attribution);
	if (e != KH_OK)
		return e;
	block->context = context->id;
	block->task = s->task->id;
	block->kind = KH_BLOCK_DELIVERY;
	kh_op_fill_block(op, made, block);
	block->tainted_by = s->query->blocks;
	block->given = 1;
	block->prev = context->last_block;
	block->query = s->query->id;
	context->last_block = block->id;
	context->blocks++;
	context->deliveries++;
	if (s->query->category > 1) {
		block->prev_text = context->last_text;
		context->last_text = block->id;
	}
	context->taint = kh_label_max_taint(context->taint, made->taint);
	s->query->delivery = block->id;
	return KH_OK;
}

static enum kh_err deliver(struct ending *s)
{
	struct kh_query_row *query = s->query;

	s->context->exposed += query->charged;
	enum kh_err e = write_block(s);
	if (e == KH_OK)
		e = kh_txn_next_event(s->op->txn, &query->event);
	if (e != KH_OK)
		return e;
	query->state = KH_QUERY_DONE;
	query->ended_at = s->op->now;
	return kh_op_event(s->op, KH_AUDIT_QUERY_DELIVERED, s->task, s->what);
}

/* B6, B7: what was reserved is charged, whatever comes of the query. */
static enum kh_err charge(struct ending *s)
{
	struct kh_budget *budgets[] = {&s->task->budget, &s->context->budget};
	enum kh_err e = kh_budget_charge(budgets, 2, s->query->reserved);

	if (e == KH_EREFUSED)
		return kh_error_set(s->op->err, KH_ESTORE, "store_corrupt", "a query was never reserved for");
	s->query->charged = s->query->reserved;
	kh_tally_add(kh_engine_tally(s->op->engine), KH_TALLY_CHARGED, KH_LIT(""), KH_LIT(""), s->query->reserved);
	return e;
}

/* Any outcome but a delivery. */
static enum kh_err end(struct ending *s, enum kh_outcome outcome, const char *reason)
{
	struct kh_query_row *query = s->query;
	enum kh_err e = charge(s);

	if (e == KH_OK)
		e = drop_ask(s->op, query);
	if (e != KH_OK)
		return e;
	query->outcome = outcome;
	if (reason != NULL)
		query->reason = kh_view_str(reason);
	query->state = KH_QUERY_DONE;
	query->ended_at = s->op->now;
	return kh_op_event(s->op, KH_AUDIT_QUERY_ENDED, s->task, s->what);
}

/* Carries out what was decided. */
static enum kh_err release(struct ending *s)
{
	struct kh_query_row *query = s->query;
	enum kh_granted granted;

	if (query->outcome != KH_OUTCOME_DELIVERED)
		return end(s, query->outcome, NULL);
	enum kh_err e = use_grant(s, &granted);
	if (e != KH_OK)
		return e;
	if (granted == KH_GRANT_EXPIRED) /* A3: an expiry is not a rejection */
		return end(s, KH_OUTCOME_EXPIRED, "grant_expired");
	if (granted != KH_GRANTED)
		return end(s, KH_OUTCOME_REJECTED, "grant_void");
	/* Only a query that an older version admitted reserved less than its bound: nobody paid for this answer. */
	if (query->length > query->content)
		return end(s, KH_OUTCOME_BUDGET, "budget");
	e = charge(s);
	return e == KH_OK ? deliver(s) : e;
}

static enum kh_err ready(struct kh_op *op, struct kh_query_row *query, enum kh_outcome outcome, const char *reason,
			 struct kh_view what)
{
	struct ending s;
	enum kh_err e = load(op, query, &s);

	s.what = what;
	if (e == KH_OK)
		e = drop_ask(op, query);
	if (e != KH_OK)
		return e;
	query->outcome = outcome;
	query->reason = kh_view_str(reason);
	query->ready_at = op->now;
	query->release_at = kh_settle_slot(op, query);
	query->state = KH_QUERY_READY;
	if (query->release_at <= op->now)
		return release(&s);
	return kh_op_event(op, KH_AUDIT_QUERY_READY, s.task, what);
}

enum kh_err kh_settle_ready(struct kh_op *op, struct kh_query_row *query, enum kh_outcome outcome, const char *reason)
{
	return ready(op, query, outcome, reason != NULL ? reason : "", KH_LIT(""));
}

enum kh_err kh_settle_accepted(struct kh_op *op, struct kh_query_row *query, struct kh_view what)
{
	return ready(op, query, KH_OUTCOME_DELIVERED, "", what);
}

int64_t kh_settle_slot_of(const struct kh_policy *policy, int64_t from, int64_t now, uint64_t most_ms)
{
	int64_t after = now > from ? now - from : 0;

	if (policy->release == KH_RELEASE_IMMEDIATE)
		return now;
	/* Rounds up to a whole millisecond, so that a slot is never earlier than what it releases. */
	return from + (int64_t)kh_bits_slot((uint64_t)(after + 999) / 1000, most_ms) * 1000;
}

int64_t kh_settle_slot_of_taken(const struct kh_policy *policy, int64_t came, int64_t now)
{
	return kh_settle_slot_of(policy, came, now, KH_ACCOUNT_TAKEN_MS);
}

int64_t kh_settle_slot(const struct kh_op *op, const struct kh_query_row *query)
{
	return kh_settle_slot_of(op->policy, query->admitted_at, op->now,
				 (uint64_t)(query->deadline_at - query->admitted_at) / 1000);
}

enum kh_err kh_settle_end(struct kh_op *op, struct kh_query_row *query, enum kh_outcome outcome, const char *reason)
{
	struct ending s;
	enum kh_err e = load(op, query, &s);

	return e == KH_OK ? end(&s, outcome, reason) : e;
}

/* If the approval that QUERY waits for has expired, the query ends as expired. */
static enum kh_err due_approval(struct kh_op *op, const struct kh_query_row *query)
{
	struct kh_approval_row *approval;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, query->approval, &approval);

	return e == KH_OK ? kh_approval_due(op, approval) : e;
}

enum kh_err kh_settle_due(struct kh_op *op, struct kh_query_row *query)
{
	bool waits = query->state == KH_QUERY_APPROVAL || query->state == KH_QUERY_HELD;
	struct ending s;
	/* An approval past its time has expired, even if the query's own deadline has passed meanwhile (A3). */
	enum kh_err e = waits ? due_approval(op, query) : KH_OK;

	if (e == KH_OK)
		e = load(op, query, &s);
	if (e != KH_OK || query->state == KH_QUERY_DONE)
		return e;
	if (query->state == KH_QUERY_READY)
		return query->release_at <= op->now ? release(&s) : KH_OK;
	if (query->deadline_at > op->now)
		return KH_OK;
	if (query->state != KH_QUERY_ASKING)
		e = kh_approval_void(op, s.task, query->id);
	return e == KH_OK ? end(&s, KH_OUTCOME_EXPIRED, "deadline") : e;
}
