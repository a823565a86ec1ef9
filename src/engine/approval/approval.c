/*
 * The life of an approval, except its decision.  Every change of state is one event on the task's chain (A3).
 * core/policy/grant.h has the rules of what a grant covers.
 */
#include "engine/approval/approval.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "core/policy/account.h"
#include "engine/approval/follow.h"
#include "engine/approval/subject.h"
#include "engine/state/allowance.h"
#include "engine/state/each.h"
#include "engine/state/tally.h"

#include <assert.h>

#define SECOND INT64_C(1000000)

/* {"marks":["screened",...]}: only the codes, because the subject has what they found. */
static struct kh_view describe_marks(struct kh_op *op, const struct kh_reasons *marks)
{
	struct kh_emit what;

	kh_op_describe(op, &what);
	kh_op_describe_codes(&what, "marks", marks);
	return kh_op_described(op, &what);
}

static struct kh_view describe_why(struct kh_op *op, const char *why)
{
	return kh_arena_printf(op->arena, "{\"why\":\"%s\"}", why);
}

/* --- what is decided about an act, and when, is seen at a slot and paid for --------------------------------------- */

static bool is_of_act(enum kh_approval_kind kind)
{
	return kind == KH_APPROVE_PHASE || kind == KH_APPROVE_DECLARATION || kind == KH_APPROVE_TOOL_CALL;
}

/* A decision about a tool is about no act; but calls wait for it, and see it at a slot as well. */
static bool is_slotted(enum kh_approval_kind kind)
{
	return is_of_act(kind) || kind == KH_APPROVE_UPSTREAM;
}

static uint64_t limit_ms(const struct kh_op *op)
{
	return (uint64_t)op->policy->approvals.expiry_seconds * 1000;
}

uint64_t kh_approval_price(const struct kh_op *op)
{
	return kh_account_decision(op->policy->release, limit_ms(op));
}

int64_t kh_approval_slot(const struct kh_op *op, const struct kh_approval_row *approval)
{
	uint64_t after = (uint64_t)(op->now - approval->requested_at + 999) / 1000;
	int64_t at = approval->requested_at + (int64_t)kh_bits_decision_slot(after, limit_ms(op)) * 1000;

	return is_slotted(approval->kind) && op->policy->release == KH_RELEASE_SLOTS && at > op->now ? at : 0;
}

/* There is no refund, whatever is decided (B6). */
static enum kh_err charge(struct kh_op *op, struct kh_task_row *task, struct kh_approval_row *row)
{
	struct kh_context_row *context = NULL;
	struct kh_allowance allowance;
	uint64_t price = kh_approval_price(op);
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, task->context, &context);

	if (e != KH_OK)
		return e;
	struct kh_budget *budgets[] = {&task->budget, &context->budget};
	e = kh_allowance_load(op, task, context, &allowance);
	if (e == KH_OK)
		e = kh_allowance_take(&allowance, (struct kh_window_sums){.bits = price});
	if (e == KH_OK && price > 0)
		e = kh_budget_charge(budgets, 2, price);
	if (e != KH_OK)
		return e;
	row->charged = price;
	kh_tally_add(kh_engine_tally(op->engine), KH_TALLY_CHARGED, KH_LIT(""), KH_LIT(""), price);
	return KH_OK;
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

/* A6: whether the task has as many pending approvals as it may. */
static bool is_full(const struct kh_op *op, const struct kh_task_row *task)
{
	return task != NULL && (uint64_t)task->pending >= op->policy->approvals.max_pending;
}

static enum kh_err check_request(struct kh_op *op, const struct kh_approval_request *request)
{
	if (is_full(op, request->task) && !request->quiet)
		return kh_error_set(op->err, KH_EREFUSED, "too_many_pending",
				    "the task has %lld approvals waiting, and no more may wait",
				    (long long)request->task->pending);
	if (kh_utf8_invalid(request->text) != SIZE_MAX)
		return kh_error_set(op->err, KH_EINPUT, "bad_utf8", "what is to be approved is not UTF-8");
	if (request->text.n > KH_APPROVAL_TEXT)
		return kh_error_set(op->err, KH_ELIMIT, "too_long", "what is to be approved has more than %u bytes",
				    KH_APPROVAL_TEXT);
	return KH_OK;
}

enum kh_err kh_approval_request(struct kh_op *op, const struct kh_approval_request *request,
				struct kh_approval_row **ret_approval)
{
	struct kh_approval_row *row;
	enum kh_err e = check_request(op, request);

	if (e == KH_OK)
		e = kh_txn_new(op->txn, KH_TABLE_APPROVALS, &row);
	if (e != KH_OK)
		return e;
	row->kind = request->kind;
	row->state = KH_APPROVAL_PENDING;
	row->context = request->task != NULL ? request->task->context : 0;
	row->task = request->task != NULL ? request->task->id : 0;
	row->query = request->query != NULL ? request->query->id : 0;
	row->pages = kh_subject_pages(request->text);
	row->arguments = request->arguments;
	row->content = request->content;
	row->policy = op->policy->digest;
	row->operation = kh_arena_dup(op->arena, request->operation);
	row->admin = request->admin;
	row->fenced = request->fenced;
	row->uses = request->uses > 0 ? request->uses : 1;
	row->requested_at = request->came != 0 ? request->came : op->now;
	row->expires_at = row->requested_at + (int64_t)op->policy->approvals.expiry_seconds * SECOND;
	if (request->until != 0 && request->until < row->expires_at)
		row->expires_at = request->until;
	e = kh_subject_write(op, request, row, &row->subject);
	if (e != KH_OK)
		return e;
	row->digest = kh_canonical_digest(row->subject);
	e = is_of_act(row->kind) ? charge(op, request->task, row) : KH_OK;
	if (e != KH_OK)
		return e;
	bool full = is_full(op, request->task);
	if (request->task != NULL)
		request->task->pending++;
	if (request->query != NULL) {
		request->query->approval = row->id;
		if (request->query->waits == 0)
			request->query->waits = row->id;
	}
	e = kh_op_event(op, KH_AUDIT_APPROVAL_REQUESTED, request->task, describe_marks(op, request->marks));
	if (e == KH_OK && full) {
		kh_approval_end(row, request->task, KH_APPROVAL_VOID);
		e = kh_op_event(op, KH_AUDIT_APPROVAL_VOID, request->task, describe_why(op, "too_many_pending"));
	}
	if (e == KH_OK)
		*ret_approval = row;
	return e;
}

/* Whether a Controller that looks now sees QUERY as open. */
static bool seems_open(const struct kh_query_row *query, int64_t now)
{
	bool left = query->state == KH_QUERY_READY ? query->release_at <= now : query->deadline_at <= now;

	return query->state != KH_QUERY_DONE && !left;
}

static enum kh_err count_queries(struct kh_op *op, const struct kh_task_row *task, uint64_t *count)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_QUERIES_OPEN, .number = task->id};
	struct kh_query_row query;

	while (kh_each_peek(&each, KH_TABLE_QUERIES, &query))
		*count += query.category == 3 && seems_open(&query, op->now);
	return each.e;
}

/* One that was refused a place because too many others wait seems to wait; so does one whose slot has not come. */
bool kh_approval_seems_to_wait(const struct kh_approval_row *row, int64_t now)
{
	if (!is_of_act(row->kind))
		return false;
	return row->told_at > now ||
	       (now < row->expires_at &&
		(row->state == KH_APPROVAL_PENDING || (row->state == KH_APPROVAL_VOID && row->decided_by == 0)));
}

static enum kh_err count_plans(struct kh_op *op, const struct kh_task_row *task, uint64_t *count)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_APPROVALS_OF_TASK, .number = task->id};
	struct kh_approval_row row;

	while (kh_each_peek(&each, KH_TABLE_APPROVALS, &row))
		*count += kh_approval_seems_to_wait(&row, op->now);
	return each.e;
}

enum kh_err kh_approval_known(struct kh_op *op, const struct kh_task_row *task, uint64_t *ret_count)
{
	uint64_t count = 0;
	enum kh_err e = count_queries(op, task, &count);

	if (e == KH_OK)
		e = count_plans(op, task, &count);
	if (e == KH_OK)
		*ret_count = count;
	return e;
}

const char *kh_approval_decides(const struct kh_approval_row *approval)
{
	return kh_words_name(&kh_policy_role_words, approval->admin ? KH_ROLE_ADMIN : KH_ROLE_REVIEWER);
}

enum kh_approval kh_approval_state(const struct kh_approval_row *approval, int64_t now)
{
	bool late = approval->state == KH_APPROVAL_PENDING && now >= approval->expires_at;

	return late ? KH_APPROVAL_EXPIRED : approval->state;
}

enum kh_err kh_approval_task(struct kh_op *op, const struct kh_approval_row *approval, struct kh_task_row **ret_task)
{
	if (approval->task != 0)
		return kh_txn_load(op->txn, KH_TABLE_TASKS, approval->task, ret_task);
	*ret_task = NULL;
	return KH_OK;
}

void kh_approval_end(struct kh_approval_row *approval, struct kh_task_row *task, enum kh_approval state)
{
	bool waits = approval->state == KH_APPROVAL_PENDING;

	assert(kh_grant_may_become(approval->state, state)); /* I-41 */
	approval->state = state;
	if (waits && task != NULL)
		task->pending--;
}

/* The grant that a decision on APPROVAL made. */
static enum kh_err read_grant(struct kh_op *op, const struct kh_approval_row *approval, struct kh_grant *ret_grant)
{
	struct kh_token_row *decider;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TOKENS, approval->decided_by, &decider);

	if (e != KH_OK)
		return e == KH_EUNKNOWN ? kh_error_set(op->err, KH_ESTORE, "store_corrupt", "nobody decided it") : e;
	*ret_grant = (struct kh_grant){
		.context = kh_op_id(op, KH_ID_CONTEXT, approval->context),
		.task = kh_op_id(op, KH_ID_TASK, approval->task),
		.operation = approval->operation,
		.arguments = approval->arguments,
		.content = approval->content,
		.definition = approval->definition,
		.policy = approval->policy,
		.expiry = approval->expires_at,
		.uses = (uint64_t)approval->uses,
		.host = approval->host,
		.admin = decider->role == KH_ROLE_ADMIN,
		.fenced = approval->fenced != 0,
	};
	return kh_arena_check(op->arena);
}

/* Why there is no grant, if nobody gave one or it is gone. */
static enum kh_granted without_grant(enum kh_approval state)
{
	return state == KH_APPROVAL_USED      ? KH_GRANT_USED
	       : state == KH_APPROVAL_EXPIRED ? KH_GRANT_EXPIRED
					      : KH_GRANT_NOT_GIVEN;
}

/* Whether it was granted, and the slot of that has come. */
static bool is_granted(const struct kh_op *op, const struct kh_approval_row *approval)
{
	return (approval->state == KH_APPROVAL_APPROVED || approval->state == KH_APPROVAL_EDITED) &&
	       approval->told_at <= op->now;
}

static enum kh_err refuse_use(struct kh_op *op, enum kh_granted why, enum kh_granted *ret_why)
{
	*ret_why = why;
	return kh_error_set(op->err, KH_EREFUSED, "not_granted", "no grant for this: %s",
			    kh_words_name(&kh_grant_words, why));
}

enum kh_err kh_approval_use(struct kh_op *op, struct kh_approval_row *approval, const struct kh_grant_call *call,
			    enum kh_granted *ret_why)
{
	struct kh_task_row *task;
	struct kh_grant grant;

	if (!is_granted(op, approval))
		return refuse_use(op, without_grant(approval->state), ret_why);
	enum kh_err e = read_grant(op, approval, &grant);
	if (e == KH_OK)
		e = kh_approval_task(op, approval, &task);
	if (e != KH_OK)
		return e;
	enum kh_granted why = kh_grant_covers(&grant, call, (uint64_t)approval->used, op->now);
	if (why == KH_GRANTED) {
		approval->used++;
		if (approval->used == approval->uses)
			kh_approval_end(approval, task, KH_APPROVAL_USED);
		e = kh_op_event(op, KH_AUDIT_APPROVAL_USED, task, (struct kh_view){NULL, 0});
		if (e == KH_OK)
			*ret_why = why;
		return e;
	}
	if (why == KH_GRANT_EXPIRED || kh_grant_is_void(why)) {
		bool late = why == KH_GRANT_EXPIRED;
		kh_approval_end(approval, task, late ? KH_APPROVAL_EXPIRED : KH_APPROVAL_VOID);
		e = kh_op_event(op, late ? KH_AUDIT_APPROVAL_EXPIRED : KH_AUDIT_APPROVAL_VOID, task,
				describe_why(op, kh_words_name(&kh_grant_words, why)));
	}
	return e == KH_OK ? refuse_use(op, why, ret_why) : e;
}

enum kh_err kh_approval_covers(struct kh_op *op, const struct kh_approval_row *approval,
			       const struct kh_grant_call *call, bool *ret_yes)
{
	struct kh_grant grant;

	*ret_yes = false;
	if (!is_granted(op, approval))
		return KH_OK;
	enum kh_err e = read_grant(op, approval, &grant);
	if (e == KH_OK)
		*ret_yes = kh_grant_covers(&grant, call, (uint64_t)approval->used, op->now) == KH_GRANTED;
	return e;
}

static enum kh_err make_void(struct kh_op *op, struct kh_task_row *task, int64_t id, int64_t query)
{
	struct kh_approval_row *row;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, id, &row);

	if (e != KH_OK || row->state != KH_APPROVAL_PENDING)
		return e;
	kh_approval_end(row, task, KH_APPROVAL_VOID);
	kh_tally_add(kh_engine_tally(op->engine), KH_TALLY_DECIDED, KH_LIT("void"), KH_LIT(""), 1);
	return kh_op_event(op, KH_AUDIT_APPROVAL_VOID, task,
			   describe_why(op, query != 0 ? "query_ended" : "task_ended"));
}

/* Decisions of TASK whose slot has not come take no effect any more: what they were about has ended. */
static enum kh_err tell_nobody(struct kh_op *op, struct kh_task_row *task)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_APPROVALS_UNTOLD};
	struct kh_approval_row seen, *row;

	while (kh_each_peek(&each, KH_TABLE_APPROVALS, &seen)) {
		if (seen.task != task->id)
			continue;
		each.e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, seen.id, &row);
		if (each.e != KH_OK)
			break;
		row->told_at = 0;
		each.e = kh_op_event(op, KH_AUDIT_APPROVAL_TOLD, task, describe_why(op, "task_ended"));
	}
	return each.e;
}

enum kh_err kh_approval_void(struct kh_op *op, struct kh_task_row *task, int64_t query)
{
	/* Goes through all pending approvals, which are few; those that a task had over time may be many. */
	struct kh_each each = {.op = op, .index = KH_INDEX_APPROVALS_PENDING};
	struct kh_approval_row seen; /* approvals of other tasks are skipped without reading their text */

	while (task->pending > 0 && kh_each_peek(&each, KH_TABLE_APPROVALS, &seen)) {
		if (seen.task == task->id && (query == 0 || seen.query == query))
			each.e = make_void(op, task, seen.id, query);
	}
	return each.e == KH_OK && query == 0 ? tell_nobody(op, task) : each.e;
}

static enum kh_err take_effect(struct kh_op *op, struct kh_approval_row *approval)
{
	const struct kh_approval_follow *follow = kh_approval_follow(op, approval);
	struct kh_task_row *task;
	enum kh_err e = kh_approval_task(op, approval, &task);

	if (e != KH_OK)
		return e;
	approval->told_at = 0;
	e = kh_op_event(op, KH_AUDIT_APPROVAL_TOLD, task, (struct kh_view){NULL, 0});
	return e == KH_OK && follow->decided != NULL ? follow->decided(op, approval) : e;
}

enum kh_err kh_approval_due(struct kh_op *op, struct kh_approval_row *approval)
{
	const struct kh_approval_follow *follow = kh_approval_follow(op, approval);
	struct kh_task_row *task;

	if (approval->told_at != 0)
		return approval->told_at <= op->now ? take_effect(op, approval) : KH_OK;
	if (kh_approval_state(approval, op->now) == approval->state)
		return KH_OK;
	enum kh_err e = kh_approval_task(op, approval, &task);
	if (e != KH_OK)
		return e;
	kh_approval_end(approval, task, KH_APPROVAL_EXPIRED);
	kh_tally_add(kh_engine_tally(op->engine), KH_TALLY_DECIDED, KH_LIT("expired"), KH_LIT(""), 1);
	e = kh_op_event(op, KH_AUDIT_APPROVAL_EXPIRED, task, describe_why(op, "not_decided"));
	return e == KH_OK && follow->expired != NULL ? follow->expired(op, approval) : e;
}
