/*
 * Admits a query.  The order of the checks: whose task it is, whether the query is valid, what it is about and who
 * reads it, the Reader's rate, escalations, the budget.  Then it is recorded, and left for its Reader or for a human.
 *
 * Everything that the Controller is told here follows from what the Controller did itself.
 */
#include "engine/query/admit.h"

#include "core/bcp/repeat.h"
#include "core/policy/account.h"
#include "core/policy/escalation.h"
#include "engine/approval/approval.h"
#include "engine/audit/alert.h"
#include "engine/context/influence.h"
#include "engine/context/token.h"
#include "engine/query/about.h"
#include "engine/query/atonce.h"
#include "engine/query/settle.h"
#include "engine/state/allowance.h"
#include "engine/state/find.h"
#include "engine/state/limits.h"
#include "engine/state/quotatext.h"
#include "engine/state/refusals.h"

/* An admission in progress. */
struct admission {
	struct kh_op *op;
	struct kh_admit *call;
	struct kh_task_row *task;
	struct kh_context_row *context;
	struct kh_reader_row *reader; /* NULL: it was never asked before */
	struct kh_quota quota;        /* of its rate, including this query */
	bool has_rate;
	struct kh_about about;
	struct kh_query query;
	struct kh_view body;
	int64_t *blocks;
	size_t block_count;
	enum kh_taint taint; /* of the Reader (B23) */
	bool escalation;
	bool agent;         /* the Reader is an agent with a token */
	yyjson_val *words;  /* what goes to a Reader behind a network; NULL: nothing does */
	size_t bytes;       /* of it */
	bool outside, held; /* the Reader is behind a network; a human sees the query before it goes out (K7) */
	const struct kh_weighed *weighed; /* what its words were compared with, if it goes out (outward.h); else NULL */
	struct kh_account account;
	struct kh_allowance allowance;
	uint64_t deadline_ms;
	const struct kh_atonce *done; /* NULL: there was nothing to do */
};

/* Refuses with the error in *err, and records it. */
static enum kh_err refuse(struct admission *a, enum kh_err why)
{
	struct kh_view what;

	if (why == KH_ENOMEM || why == KH_ESTORE)
		return why;
	if (a->task == NULL) /* L1: a query without a task is recorded too */
		return kh_op_refuse(a->op, KH_AUDIT_REFUSED, NULL,
				    kh_arena_printf(a->op->arena, "{\"code\":\"%s\",\"operation\":\"query.admit\"}",
						    a->op->err->code),
				    why);
	what = kh_arena_printf(a->op->arena, "{\"code\":\"%s\"}", a->op->err->code);
	return kh_op_refuse(a->op, KH_AUDIT_QUERY_REFUSED, a->task, what, why);
}

/* The task that the query names, or the only open one. */
static enum kh_err find_task(struct admission *a)
{
	struct kh_op *op = a->op;
	struct kh_view id = kh_json_str(kh_json_get(a->call->query, "task"));
	size_t count = 0;
	enum kh_err e;

	if (id.p != NULL) {
		e = kh_find_task(op, id, &a->task);
	} else {
		e = kh_find_only_task(op, &a->task, &count);
		if (e == KH_OK && count != 1)
			return kh_error_set(op->err, KH_EREFUSED, "task_needed",
					    count == 0 ? "there is no open task; open one first"
						       : "several tasks are open; name one with `task`");
	}
	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, a->task->context, &a->context);
	return e;
}

/* Checks the query.  B22: if a lower category could serve, that is advised, or the query is refused. */
static enum kh_err take_query(struct admission *a)
{
	const struct kh_admit_read *read = &a->call->read;

	if (read->e != KH_OK) {
		*a->op->err = read->err;
		return read->e;
	}
	a->query = read->query;
	a->body = read->body;
	a->call->advice = read->advice;
	if (read->advised && a->op->policy->lint == KH_LINT_REFUSE)
		return kh_error_set(a->op->err, KH_EREFUSED, "lower_category",
				    "a lower category can serve this; `keyhole bcp check` shows the better query");
	return KH_OK;
}

/* Ascending, each once: these become a delivery's taint chain (K5), in whatever order and how often they were named. */
static void add_block(struct admission *a, int64_t id)
{
	size_t i = a->block_count;

	while (i > 0 && a->blocks[i - 1] > id)
		i--;
	if (i > 0 && a->blocks[i - 1] == id)
		return;
	memmove(&a->blocks[i + 1], &a->blocks[i], (a->block_count - i) * sizeof(a->blocks[0]));
	a->blocks[i] = id;
	a->block_count++;
}

/* Whether a query may be about BLOCK: sealed content of its task, or what was delivered in it (B23). */
static bool can_be_asked_about(const struct admission *a, const struct kh_block_row *block)
{
	bool delivered = block->kind == KH_BLOCK_DELIVERY && block->id > a->context->reset_block;

	return block->task == a->task->id && (block->kind == KH_BLOCK_SEALED || delivered);
}

/* B19: the blocks themselves, and everything that a delivery among them was derived from. */
static enum kh_err find_things(struct admission *a)
{
	struct kh_op *op = a->op;
	struct kh_closure closure;
	struct kh_block_row block;
	enum kh_err e = kh_influence_of(op, a->context, 0, a->blocks, a->block_count, &closure);

	for (size_t i = 0; e == KH_OK && i < closure.n; i++) {
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, closure.at[i].id, &block);
		if (e == KH_OK)
			e = kh_about_add(op, &block, &a->about);
	}
	return e;
}

/* Finds the blocks that the query is about, and with them the Reader's taint (B1, B23). */
static enum kh_err find_blocks(struct admission *a)
{
	struct kh_op *op = a->op;
	size_t count = a->query.block_count > 0 ? a->query.block_count : 1;

	if (a->query.block_count == 0 && a->task->blocks != 1)
		return kh_error_set(op->err, KH_EREFUSED, "blocks_needed",
				    a->task->blocks == 0 ? "the task has no sealed block; put content in first"
							 : "the task has several blocks; name some with `blocks`");
	a->blocks = KH_NEW_N(op->arena, int64_t, count);
	if (a->blocks == NULL)
		return KH_ENOMEM;
	a->taint = a->context->taint;
	bool derived = false;
	for (size_t i = 0; i < count; i++) {
		struct kh_block_row block; /* without its content, which only a Reader gets */
		int64_t id = a->task->first_block;
		enum kh_err e = a->query.block_count > 0
					? kh_find_block(op, a->task->context, a->query.blocks[i], &block)
					: kh_txn_peek(op->txn, KH_TABLE_BLOCKS, id, &block);
		if (e != KH_OK)
			return e;
		if (!can_be_asked_about(a, &block))
			return kh_error_set(op->err, KH_EUNKNOWN, "unknown_block",
					    "not a sealed block or a delivery of this task");
		if (block.purged_at != 0)
			return kh_error_set(op->err, KH_EREFUSED, "content_purged",
					    "the block's content was kept for its time and is gone");
		add_block(a, block.id);
		a->taint = kh_label_max_taint(a->taint, block.taint);
		derived = derived || block.kind == KH_BLOCK_DELIVERY;
		e = kh_about_add(op, &block, &a->about);
		if (e != KH_OK)
			return e;
	}
	return derived ? find_things(a) : KH_OK;
}

/* The target is not a driver: it is an agent with a token, or does not exist. */
static enum kh_err find_agent(struct admission *a)
{
	enum kh_err e = kh_token_is_reader(a->op, a->query.target, &a->agent);

	if (e == KH_OK && !a->agent)
		return kh_error_set(a->op->err, KH_EUNKNOWN, "unknown_reader", "there is no Reader called %.*s",
				    KH_FMT(kh_arena_quote(a->op->arena, a->query.target)));
	return e;
}

/* E1, E5: what the query says goes to a network, and what the agent itself put in of what it is about. */
static enum kh_err check_outside(struct admission *a)
{
	enum kh_err e = kh_outward_words(a->op->arena, a->call->query, &a->words, &a->bytes, a->op->err);

	a->bytes += kh_about_bytes(&a->about);
	return e == KH_OK ? kh_outward_check(a->op, a->task, a->query.target, a->bytes) : e;
}

/* Finds the Reader and what is recorded about it. */
static enum kh_err find_reader(struct admission *a)
{
	struct kh_op *op = a->op;
	size_t count = 0;
	int64_t *ids;
	const struct kh_reader *reader = kh_engine_reader(op->engine, a->query.target);
	enum kh_err e = reader == NULL ? find_agent(a) : KH_OK;

	a->outside = reader != NULL && reader->outside;
	if (e == KH_OK && a->outside)
		e = kh_outward_blocks(op, a->query.target, a->blocks, a->block_count, &a->about);
	if (e == KH_OK)
		e = kh_txn_find(op->txn, KH_INDEX_READERS_NAMED, 0, a->query.target, 0, 1, &ids, &count);
	return e == KH_OK && count > 0 ? kh_txn_load(op->txn, KH_TABLE_READERS, ids[0], &a->reader) : e;
}

static struct kh_view *quota_of(struct kh_reader_row *reader, unsigned category)
{
	struct kh_view *texts[] = {&reader->quota_1, &reader->quota_2, &reader->quota_3};

	return texts[category - 1];
}

/* B9: the Reader's rate for this category.  If its state cannot be read, nothing is admitted. */
static enum kh_err find_rate(struct admission *a)
{
	struct kh_op *op = a->op;
	struct kh_rate rate = kh_policy_reader_rate(op->policy, a->query.target, a->query.category);
	struct kh_view text = a->reader != NULL ? *quota_of(a->reader, a->query.category) : KH_LIT("");
	int64_t wait = 0;

	a->has_rate = rate.period != 0;
	if (!a->has_rate)
		return KH_OK;
	if (!kh_quotatext_read(text, &a->quota))
		return kh_error_set(op->err, KH_ESTORE, "store_corrupt", "the state of a rate is not readable");
	if (kh_quota_admits(&a->quota, rate, op->now, &wait)) {
		kh_quota_take(&a->quota, rate, op->now);
		return KH_OK;
	}
	if (rate.count == 0)
		return kh_error_set(op->err, KH_EREFUSED, "rate_denied",
				    "category %u to this Reader is denied by the policy", a->query.category);
	return kh_error_set(op->err, KH_EREFUSED, "rate_limited",
			    "too many queries of category %u to this Reader; try again in %lld s", a->query.category,
			    (long long)wait / 1000000 + 1);
}

/* B19: whether this query is an escalation from what was asked about the same thing. */
static enum kh_err find_about(struct admission *a)
{
	enum kh_err e = kh_about_find(a->op, a->task, a->query.need, &a->about);

	a->escalation = kh_escalation_is(a->query.category, a->query.microbits, a->about.lowest);
	return e;
}

/* B19, G4: beyond these limits an escalation is refused.  Nothing fails, because other tasks did nothing. */
static enum kh_err check_escalations(struct admission *a)
{
	enum kh_err e = kh_allowance_load(a->op, a->task, a->context, &a->allowance);

	return e == KH_OK ? kh_allowance_check(&a->allowance, (struct kh_window_sums){.escalations = a->escalation})
			  : e;
}

/* B21: whether the justification repeats a Reader's words; and the answer, if that takes no time. */
static enum kh_err prepare(struct admission *a)
{
	bool compare = a->query.category > 1 && a->context->last_text != 0;
	struct kh_recent_ids recent = {0};
	enum kh_err e = a->query.category > 1 ? kh_recent_coming(a->op, a->context, &recent) : KH_OK;
	struct kh_view key = KH_LIT("");

	if (e == KH_OK)
		key = kh_atonce_key(a->op->arena, kh_engine_reader(a->op->engine, a->query.target), a->blocks,
				    a->block_count, &recent);
	if (e != KH_OK || key.p == NULL)
		return e != KH_OK ? e : KH_ENOMEM;
	a->done = kh_beforehand_find(a->op, kh_atonce_run, key);
	if (a->done != NULL)
		return KH_OK;
	struct kh_atonce *work = KH_NEW(a->op->arena, struct kh_atonce);
	if (work == NULL)
		return KH_ENOMEM;
	*work = (struct kh_atonce){
		.query = &a->call->read.query, .body = a->body, .compare = compare, .recent = recent};
	e = a->call->at_once ? kh_atonce_load(a->op, a->task, a->blocks, a->block_count, work) : KH_OK;
	if (e != KH_OK || (!compare && work->reader == NULL))
		return e;
	e = kh_recent_load(a->op, &recent, &work->responses);
	return e == KH_OK ? kh_beforehand_want(a->op, kh_atonce_run, key, work) : e;
}

static struct kh_view repeats(const struct admission *a)
{
	return a->done != NULL ? a->done->repeats : KH_LIT("");
}

/*
 * Whether an answer may have to wait for a reviewer: a text, or one that is asked for twice.  A summary always has to,
 * and is `pending` from the beginning.
 */
static bool may_be_held(struct admission *a)
{
	struct kh_query again;

	return a->query.category == 2 ||
	       (a->query.category == 1 && kh_repeat_query(a->op->arena, &a->query, 1, &again));
}

/* What the query costs at most, and its deadline. */
static enum kh_err open_account(struct admission *a)
{
	uint64_t expiry = a->op->policy->approvals.expiry_seconds * 1000;
	unsigned moments = 1U + may_be_held(a) + a->outside; /* one that goes out is compared before it is taken */

	/* A query can wait for one reviewer; a summary, or one that goes out, for two, one after the other. */
	a->deadline_ms = a->query.category == 3 || a->outside ? 2 * expiry : expiry;
	enum kh_err e = kh_account_open(a->op->policy->release, a->query.bound, a->deadline_ms, moments, &a->account);
	return e == KH_ELIMIT ? kh_error_set(a->op->err, e, "too_large", "the query's bits overflow") : e;
}

/* The query is admitted: updates totals, rate and what was asked about. */
static enum kh_err count(struct admission *a)
{
	struct kh_op *op = a->op;
	unsigned c = a->query.category - 1;
	enum kh_err e = KH_OK;

	if (a->reader == NULL && (e = kh_txn_new(op->txn, KH_TABLE_READERS, &a->reader)) == KH_OK)
		a->reader->name = a->query.target;
	if (e == KH_OK)
		e = kh_about_asked(op, a->task, &a->about, a->query.category);
	if (e != KH_OK)
		return e;
	uint64_t *queries[] = {&a->reader->queries_1, &a->reader->queries_2, &a->reader->queries_3};
	uint64_t *readers[] = {&a->reader->total_1, &a->reader->total_2, &a->reader->total_3};
	uint64_t *tasks[] = {&a->task->total_1, &a->task->total_2, &a->task->total_3};
	uint64_t *contexts[] = {&a->context->total_1, &a->context->total_2, &a->context->total_3};
	*queries[c] += 1;
	*readers[c] += a->account.total;
	*tasks[c] += a->account.total;
	*contexts[c] += a->account.total;
	if (a->has_rate)
		*quota_of(a->reader, a->query.category) = kh_quotatext_write(op->arena, &a->quota);
	return KH_OK;
}

/* When the query came in, by the record: not before its task was opened, and not in the future. */
static int64_t came_in(const struct admission *a)
{
	int64_t since = a->call->since > a->task->opened_at ? a->call->since : a->task->opened_at;

	return since < a->op->now ? since : a->op->now;
}

static enum kh_err write_query(struct admission *a)
{
	struct kh_op *op = a->op;
	struct kh_query_row *row;
	enum kh_err e = kh_txn_new(op->txn, KH_TABLE_QUERIES, &row);

	if (e != KH_OK)
		return e;
	a->call->row = row;
	row->task = a->task->id;
	row->context = a->task->context;
	row->n = ++a->task->queries;
	row->category = a->query.category;
	row->state = a->query.category == 3 || a->held ? KH_QUERY_APPROVAL : KH_QUERY_ASKING;
	row->reader = a->query.target;
	row->need = a->query.need;
	row->body = a->body;
	row->blocks = kh_op_ids_text(op, a->blocks, a->block_count);
	row->reader_taint = a->taint;
	row->content = a->account.content;
	row->reserved = a->account.total;
	row->escalation = a->escalation;
	row->egress = a->outside ? (int64_t)a->bytes : 0;
	a->task->reader_egress += row->egress;
	row->admitted_at = came_in(a);
	row->deadline_at = row->admitted_at + (int64_t)a->deadline_ms * 1000;
	/* If content was looked at, the moment at which that ended must not show. */
	if (row->state == KH_QUERY_APPROVAL)
		row->pending_at = a->outside || a->done != NULL ? kh_settle_slot(op, row) : row->admitted_at;
	a->task->escalations += a->escalation;
	if (row->state != KH_QUERY_ASKING)
		return KH_OK;
	e = a->outside ? kh_outward_send(op, row) : KH_OK;
	return e == KH_OK ? kh_ask_put(op, row, 0, KH_LIT("")) : e;
}

/* Records what is in no row: the account's items (B8). */
static enum kh_err record(struct admission *a)
{
	struct kh_emit what;

	kh_op_describe(a->op, &what);
	kh_emit_key(&what, "account");
	kh_emit_object(&what);
	kh_emit_add_int(&what, "content", (int64_t)a->account.content);
	kh_emit_add_int(&what, "outcome", (int64_t)a->account.outcome);
	kh_emit_add_int(&what, "time", (int64_t)a->account.time);
	kh_emit_end(&what);
	if (a->held) /* before `repeats`: members stand in the order of their names */
		kh_op_describe_codes(&what, "findings", &a->weighed->reasons);
	if (repeats(a).n > 0)
		kh_emit_add_bool(&what, "repeats", true);
	return kh_op_event(a->op, KH_AUDIT_QUERY_ADMITTED, a->task, kh_op_described(a->op, &what));
}

/* B20: a human decides whether the Reader may see it. */
static enum kh_err ask_human(struct admission *a)
{
	struct kh_op *op = a->op;
	struct kh_approval_row *approval;
	struct kh_reasons marks;

	kh_reasons_init(&marks, op->arena);
	if (repeats(a).n > 0)
		kh_reasons_add(&marks, "repeats_delivery", KH_LIT("justification"),
			       "repeats what a Reader delivered: %.*s", KH_FMT(kh_arena_quote(op->arena, repeats(a))));
	for (size_t i = 0; a->held && i < a->weighed->reasons.n; i++)
		kh_reasons_add(&marks, a->weighed->reasons.at[i].code, a->weighed->reasons.at[i].member, "%.*s",
			       KH_FMT(a->weighed->reasons.at[i].detail));
	struct kh_approval_request request = {
		.kind = KH_APPROVE_ESCALATION,
		.task = a->task,
		.query = a->call->row,
		.text = a->query.category == 3 ? a->query.directive : a->body,
		.marks = &marks,
		.operation = KH_LIT("bcp.query"),
		.arguments = kh_canonical_digest(a->body),
		.quiet = true,
	};
	enum kh_err e = kh_outward_carry(op, a->blocks, a->block_count, a->outside, &request);
	if (e == KH_OK)
		e = kh_approval_request(op, &request, &approval);
	if (e != KH_OK)
		return e;
	a->call->approval = kh_op_id(op, KH_ID_APPROVAL, approval->id);
	return approval->state == KH_APPROVAL_PENDING
		       ? KH_OK
		       : kh_settle_ready(op, a->call->row, KH_OUTCOME_FAILED, "too_many_pending");
}

/* A6, by what the Controller itself can know.  If more than that wait, the query fails like any other. */
static enum kh_err check_waiting(struct admission *a)
{
	uint64_t most = a->op->policy->approvals.max_pending, count = 0;
	enum kh_err e = kh_approval_known(a->op, a->task, &count);

	if (e == KH_OK && count >= most)
		e = kh_error_set(a->op->err, KH_EREFUSED, "too_many_pending",
				 "%llu queries or plans of this task wait for a human already; at most %llu may",
				 (unsigned long long)count, (unsigned long long)most);
	return e;
}

/* The checks that change nothing. */
static enum kh_err check(struct admission *a)
{
	enum kh_err e = kh_find_open(a->op, a->task);

	if (e == KH_OK)
		e = take_query(a);
	if (e == KH_OK)
		e = find_blocks(a);
	if (e == KH_OK && a->query.category == 3)
		e = check_waiting(a);
	if (e == KH_OK)
		e = find_reader(a);
	if (e == KH_OK)
		e = find_about(a);
	if (e == KH_OK && a->outside)
		e = check_outside(a);
	if (e == KH_OK)
		e = find_rate(a);
	if (e == KH_OK)
		e = check_escalations(a);
	return e == KH_OK ? open_account(a) : e;
}

/* The limits do not hold it: an outcome, with which one, and on the record. */
static enum kh_err refuse_budget(struct admission *a)
{
	struct kh_op *op = a->op;

	a->call->refused = KH_OUTCOME_BUDGET;
	a->call->why = kh_arena_dup(op->arena, kh_view_str(op->err->detail));
	return kh_refusals_add(op, KH_AUDIT_QUERY_REFUSED, a->task,
			       kh_arena_printf(op->arena, "{\"code\":\"budget\",\"limit\":\"%s\",\"microbits\":%llu}",
					       a->allowance.limit, (unsigned long long)a->account.total));
}

/* KH_OUTCOME_BUDGET or _FAILED, which are recorded, or KH_OUTCOME_NONE: paid for. */
static enum kh_err pay(struct admission *a)
{
	struct kh_window_sums more = {.bits = a->account.total, .escalations = a->escalation};
	struct kh_op *op = a->op;

	if (kh_escalation_take(a->escalation, a->task->escalations, a->task->escalation_limit) == KH_ESCALATION_FAILS) {
		a->call->refused = KH_OUTCOME_FAILED;
		return op->above->fail_task(op, a->task, "escalations");
	}
	enum kh_err e = kh_allowance_take(&a->allowance, more);
	return e == KH_EREFUSED ? refuse_budget(a) : e;
}

/* Whether nothing refuses the query any more: pay() will take what it costs. */
static bool is_paid_for(struct admission *a)
{
	struct kh_window_sums more = {.bits = a->account.total, .escalations = a->escalation};

	return kh_escalation_take(a->escalation, a->task->escalations, a->task->escalation_limit) !=
		       KH_ESCALATION_FAILS &&
	       kh_allowance_check(&a->allowance, more) == KH_OK;
}

/*
 * Everything that looks at content, and so takes a time that follows from it, comes when nothing can refuse the query
 * (I-45): the answer, if that takes no time, and what goes out is compared (K7).
 */
static enum kh_err inspect(struct admission *a)
{
	a->call->inspected = true;
	enum kh_err e = prepare(a);
	const struct kh_weigh words = {.operation = KH_OUTWARD_OPERATION,
				       .parameters = a->words,
				       .blocks = a->blocks,
				       .block_count = a->block_count};
	if (e == KH_OK && a->outside)
		e = kh_weigh_words(a->op, a->context, &words, &a->weighed);
	a->held = e == KH_OK && a->outside && kh_outward_is_held(a->weighed);
	return e;
}

/* Hands out what the Reader is asked.  If it was asked already, takes the answer; the Controller looks at the result. */
static enum kh_err ask_reader(struct admission *a)
{
	struct kh_admit *call = a->call;
	struct kh_effect_row *effect;
	enum kh_err e;

	if (a->done == NULL || a->done->reader == NULL) {
		e = kh_txn_load(a->op->txn, KH_TABLE_EFFECTS, call->row->effect, &effect);
		return e == KH_OK ? kh_ask_prepare(a->op, effect, call->row, &call->read.query, &call->ask) : e;
	}
	e = kh_atonce_take(a->op, a->done, call->row->effect, &call->ask);
	if (e != KH_OK || call->ask.found)
		return e;
	call->look = (struct kh_look){.query = call->id};
	call->looked = true;
	return kh_look_run(a->op, &call->look);
}

enum kh_err kh_admit_run(struct kh_op *op, void *call)
{
	struct admission a = {.op = op, .call = call};

	enum kh_err e = find_task(&a);
	if (e != KH_OK)
		return op->rehearses ? e : refuse(&a, e);
	e = check(&a);
	if (e == KH_OK && is_paid_for(&a) && (e = inspect(&a)) != KH_OK)
		return e; /* it is wanted, or there is no memory for it */
	if (op->rehearses)
		return e;
	if (e != KH_OK)
		return refuse(&a, e);
	a.task->budget = kh_limits_task(op, a.task).budget;
	a.context->budget = kh_limits_context(op, a.context).budget;
	struct kh_alert alert = kh_alert_before(a.task, a.context);
	e = pay(&a);
	if (e != KH_OK || a.call->refused != KH_OUTCOME_NONE)
		return e;
	kh_alert_unusual(&alert, a.reader, a.query.category, a.account.total);
	e = count(&a);
	if (e == KH_OK)
		e = write_query(&a);
	if (e == KH_OK)
		e = record(&a);
	if (e == KH_OK)
		e = kh_alert_after(op, &alert, a.task, a.context, a.query.target);
	if (e != KH_OK)
		return e;
	a.call->id = kh_op_id(op, KH_ID_QUERY, a.call->row->id);
	if (a.call->row->state == KH_QUERY_APPROVAL)
		return ask_human(&a);
	return a.agent ? KH_OK : ask_reader(&a);
}
