/*
 * The phase transition.  The plan comes from an agent, so it is read strictly and screened.  If the screen finds
 * something, the agent has been given content that can turn it, or the policy says so, a human reads the plan first.  The grant is bound to
 * the plan's canonical bytes (A2): another plan needs another approval.
 */
#include "engine/task/transition.h"

#include "core/comm/plan.h"
#include "core/comm/suspect.h"
#include "engine/approval/subject.h"
#include "engine/state/each.h"
#include "engine/state/find.h"

#define OPERATION "task.execute"

/* A plan, read and screened outside of the transaction (beforehand.h). */
struct plan {
	yyjson_val *in;
	/* out */
	struct kh_reasons errors;
	enum kh_err e; /* why it has no canonical form */
	struct kh_error err;
	struct kh_view canonical;
	struct kh_digest digest;
	struct kh_reasons review; /* what the screen found */
	size_t names;             /* how many operations it names */
};

#define KEY KH_LIT("plan") /* a call has one */

static enum kh_err read_plan(struct kh_prepare *at, void *work)
{
	struct kh_screen *screen = kh_beforehand_screen(at);
	struct plan *plan = work;
	struct kh_plan parsed;

	kh_reasons_init(&plan->errors, at->arena);
	kh_reasons_init(&plan->review, at->arena);
	enum kh_err e = screen != NULL ? kh_plan_read(at->arena, plan->in, true, &parsed, &plan->errors) : KH_ENOMEM;
	if (e != KH_OK || plan->errors.n > 0)
		return e;
	plan->names = parsed.item_count;
	plan->e = kh_canonical_json(at->arena, plan->in, &plan->canonical, &plan->err);
	if (plan->e != KH_OK)
		return plan->e == KH_ENOMEM ? KH_ENOMEM : KH_OK;
	plan->digest = kh_canonical_digest(plan->canonical);
	e = kh_suspect_value(screen, KH_LIT(""), plan->in, KH_LIT(""), &plan->review);
	return e == KH_OK ? kh_subject_prepare(at, plan->canonical) : e;
}

enum kh_err kh_transition_prepare(struct kh_prepare *at, void *call)
{
	const struct kh_execute *execute = call;
	struct plan *plan = KH_NEW(at->arena, struct plan);

	if (plan == NULL)
		return KH_ENOMEM;
	plan->in = execute->plan;
	if (execute->plan == NULL) /* who calls it so is refused for something else */
		return KH_OK;
	return kh_beforehand_do(at, read_plan, KEY, plan);
}

static enum kh_err find_plan(struct kh_op *op, yyjson_val *in, const struct plan **ret_plan)
{
	const struct plan *plan = kh_beforehand_find(op, read_plan, KEY);

	if (plan == NULL) { /* another policy has come into force */
		struct plan *wanted = KH_NEW(op->arena, struct plan);
		if (wanted != NULL)
			wanted->in = in;
		return wanted != NULL ? kh_beforehand_want(op, read_plan, KEY, wanted) : KH_ENOMEM;
	}
	*ret_plan = plan;
	if (plan->errors.n > 0)
		return kh_error_reason(op->err, KH_EINPUT, &plan->errors);
	if (plan->e != KH_OK)
		*op->err = plan->err;
	return plan->e;
}

/* The newest approval that was asked for this plan in this task; *RET is NULL if there is none. */
static enum kh_err find_approval(struct kh_op *op, const struct kh_task_row *task, const struct plan *plan,
				 struct kh_approval_row **ret)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_APPROVALS_OF_TASK, .number = task->id};
	struct kh_approval_row row;
	int64_t found = 0;

	*ret = NULL;
	while (kh_each_peek(&each, KH_TABLE_APPROVALS, &row)) {
		if (row.kind == KH_APPROVE_PHASE && memcmp(&row.arguments, &plan->digest, sizeof(plan->digest)) == 0)
			found = row.id;
	}
	return each.e == KH_OK && found != 0 ? kh_txn_load(op->txn, KH_TABLE_APPROVALS, found, ret) : each.e;
}

/* Uses the grant if it still covers this. */
static enum kh_err use_grant(struct kh_op *op, const struct kh_task_row *task, const struct plan *plan,
			     struct kh_approval_row *approval, bool *ret_granted)
{
	struct kh_grant_call call = {
		.context = kh_op_id(op, KH_ID_CONTEXT, task->context),
		.task = kh_op_id(op, KH_ID_TASK, task->id),
		.operation = KH_LIT(OPERATION),
		.arguments = plan->digest,
		.policy = op->policy->digest,
	};
	enum kh_granted why;
	enum kh_err e = kh_arena_check(op->arena);

	if (e == KH_OK)
		e = kh_approval_use(op, approval, &call, &why);
	*ret_granted = e == KH_OK;
	return e == KH_EREFUSED ? KH_OK : e; /* void or expired, which is recorded: it has to be asked for again */
}

static enum kh_err request(struct kh_op *op, struct kh_task_row *task, const struct plan *plan,
			   struct kh_execute *execute)
{
	struct kh_approval_request request = {
		.kind = KH_APPROVE_PHASE,
		.task = task,
		.text = plan->canonical,
		.marks = &plan->review,
		.source = KH_LIT("[]"),
		.operation = KH_LIT(OPERATION),
		.arguments = plan->digest,
		.quiet = true,
	};
	struct kh_approval_row *approval = NULL;
	uint64_t count = 0;
	enum kh_err e = kh_approval_known(op, task, &count);

	if (e == KH_OK && count >= op->policy->approvals.max_pending)
		return kh_error_set(op->err, KH_EREFUSED, "too_many_pending",
				    "%llu queries or plans of this task wait for a human already",
				    (unsigned long long)count);
	if (e == KH_OK)
		e = kh_approval_request(op, &request, &approval);

	if (e == KH_OK)
		execute->approval = kh_op_id(op, KH_ID_APPROVAL, approval->id);
	return e;
}

static enum kh_err begin(struct kh_op *op, struct kh_task_row *task, const struct plan *plan, int64_t approval,
			 struct kh_execute *execute)
{
	task->phase = KH_PHASE_EXECUTION;
	task->plan = plan->canonical;
	execute->approval = KH_LIT("");
	return kh_op_event(op, KH_AUDIT_PHASE_CHANGED, task,
			   kh_arena_printf(op->arena, "{\"approval\":%lld,\"findings\":%zu}", (long long)approval,
					   plan->review.n));
}

/*
 * Has a human read the plan.  If there was no room for its approval, because of answers that wait for a reviewer, the
 * approval was void from the start.  The Controller must not learn that (B16): it waits as for a reviewer who does not
 * come.
 */
static enum kh_err ask_human(struct kh_op *op, struct kh_task_row *task, const struct plan *plan,
			     struct kh_execute *execute)
{
	struct kh_approval_row *approval = NULL;
	bool granted = false;
	enum kh_err e = find_approval(op, task, plan, &approval);

	if (e == KH_OK && approval != NULL)
		e = kh_approval_due(op, approval);
	if (e != KH_OK)
		return e;
	if (approval != NULL && kh_approval_seems_to_wait(approval, op->now)) {
		execute->approval = kh_op_id(op, KH_ID_APPROVAL, approval->id);
		return KH_OK;
	}
	if (approval != NULL && approval->state == KH_APPROVAL_REJECTED)
		return kh_error_set(op->err, KH_EREFUSED, "plan_rejected", "this plan was rejected: make another");
	if (approval != NULL && (approval->state == KH_APPROVAL_APPROVED || approval->state == KH_APPROVAL_EDITED)) {
		e = use_grant(op, task, plan, approval, &granted);
		if (e != KH_OK)
			return e;
	}
	return granted ? begin(op, task, plan, approval->id, execute) : request(op, task, plan, execute);
}

enum kh_err kh_transition_run(struct kh_op *op, void *call)
{
	struct kh_execute *execute = call;
	struct kh_context_row *context = NULL;
	struct kh_task_row *task = NULL;
	const struct plan *plan = NULL;
	enum kh_err e = kh_find_task(op, execute->task, &task);

	if (e == KH_OK)
		e = kh_find_open(op, task);
	if (e == KH_OK && task->phase != KH_PHASE_PLANNING)
		e = kh_error_set(op->err, KH_EREFUSED, "already_executing", "the task is in its execution phase");
	if (e == KH_OK)
		e = find_plan(op, execute->plan, &plan);
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what is wanted beforehand is never KH_OK */
	if (e == KH_OK && plan->names == 0 && op->policy->plan == KH_PLAN_NAMED)
		e = kh_error_set(op->err, KH_EREFUSED, "plan_names_nothing",
				 "the policy wants a plan that names its operations in `required_operations`");
	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, task->context, &context);
	if (e != KH_OK)
		return e;
	if (plan->review.n > 0 || context->taint == KH_TAINT_HIGH || op->policy->plan == KH_PLAN_ASK)
		e = ask_human(op, task, plan, execute);
	else
		e = begin(op, task, plan, 0, execute);
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	if (e == KH_OK)
		execute->row = task;
	return e;
}
