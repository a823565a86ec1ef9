/*
 * comm.call.  Everything that could be in the way is looked at with nothing changed; what follows is in one transaction
 * with its events, and what is to happen outside is handed out only when that is durable.
 */
#include "engine/comm/call.h"

#include "engine/approval/approval.h"
#include "engine/comm/begin.h"
#include "engine/comm/verifying.h"
#include "engine/state/find.h"

struct acting {
	struct kh_op *op;
	struct kh_act *act;
	struct kh_govern govern;
	struct kh_proposal proposal;
	struct kh_declaration_row *row; /* NULL: it is in no table yet */
};

/* The task that is meant: the one that is named, or the context's only open one. */
static enum kh_err find_task(struct kh_op *op, struct kh_view id, struct kh_task_row **ret_task)
{
	int64_t *ids = NULL;
	size_t count = 0;

	if (id.n > 0)
		return kh_own_task(op, id, ret_task);
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_TASKS_OPEN, op->caller->context, KH_LIT(""), 0, 2, &ids, &count);
	if (e == KH_OK && count != 1)
		e = kh_error_set(op->err, KH_EINPUT, "task_needed", "%s: name the task",
				 count == 0 ? "there is no open task" : "there is more than one open task");
	return e == KH_OK ? kh_txn_load(op->txn, KH_TABLE_TASKS, ids[0], ret_task) : e;
}

enum kh_err kh_act_task(struct kh_op *op, struct kh_view id, struct kh_task_row **ret_task)
{
	enum kh_err e = find_task(op, id, ret_task);

	return e == KH_OK ? kh_own_open(op, *ret_task) : e;
}

/* --- what is called ----------------------------------------------------------------------------------------------- */

static enum kh_err propose_new(struct acting *a, bool *ret_refused)
{
	struct kh_proposal *all = NULL;
	struct kh_op *op = a->op;
	size_t count = 0;
	enum kh_err e = kh_act_task(op, a->act->task, &a->govern.task);

	if (e != KH_OK)
		return e;
	e = kh_propose_read(op, a->govern.task, a->act->declare, &all, &count);
	if (e == KH_OK && count != 1)
		e = kh_error_set(op->err, KH_EINPUT, "too_many", "one declaration is called at a time, there are %zu",
				 count);
	*ret_refused = e == KH_EINPUT || e == KH_EREFUSED;
	if (*ret_refused)
		return kh_propose_refuse(op, a->govern.task, e);
	if (e == KH_OK)
		a->proposal = all[0];
	return e;
}

/* An earlier declaration, as it is now. */
static enum kh_err take_row(struct acting *a)
{
	struct kh_op *op = a->op;
	enum kh_err e = kh_act_look_find(op, a->act->declaration, &a->row);

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TASKS, a->row->task, &a->govern.task);
	if (e == KH_OK)
		e = kh_act_end_due(op, a->row);
	return e;
}

/* --- what follows ------------------------------------------------------------------------------------------------- */

static enum kh_err tell(struct acting *a, enum kh_act_next next)
{
	a->act->next = next;
	return kh_act_look_at(a->op, a->row, &a->act->look);
}

/* The gate's word, to the caller and on the record.  What a supervisor or a model has denied is over. */
static enum kh_err deny(struct acting *a, const char *code, struct kh_view why)
{
	struct kh_op *op = a->op;
	struct kh_decision *d = &a->govern.decision;
	struct kh_decide_answer *own = KH_NEW(op->arena, struct kh_decide_answer);
	struct kh_view what;

	if (own == NULL)
		return KH_ENOMEM;
	if (d->ruling != KH_DENY) { /* no gate's: the engine's own, after all of them */
		*own = (struct kh_decide_answer){.gate = KH_GATE_PERMISSION,
						 .ruling = KH_DENY,
						 .code = code,
						 .rule = KH_LIT("built in"),
						 .why = why};
		d->ruling = KH_DENY;
		d->deciding = own;
	}
	enum kh_err e = kh_govern_describe(op, &a->govern, &what);
	if (e != KH_OK)
		return e;
	if (a->row != NULL && strcmp(code, "verification_failed") == 0) {
		e = kh_own_event(op, KH_AUDIT_DECLARATION_DENIED, a->govern.task, what);
		if (e == KH_OK)
			e = kh_act_end_unbegun(op, a->row, KH_ENDED_DENIED, "verification_failed");
		return e == KH_OK ? tell(a, KH_ACT_ENDED) : e;
	}
	return kh_own_refuse(op, KH_AUDIT_DECLARATION_DENIED, a->govern.task, what,
			     kh_error_set(op->err, KH_EREFUSED, code, "%.*s", KH_FMT(why)));
}

/* What a reviewer is told: what the screen found in the declaration, and what tier 1 found in the call. */
static enum kh_err collect_marks(struct acting *a, struct kh_reasons *marks)
{
	const struct kh_reasons *lists[] = {&a->proposal.review, &a->act->weighed->reasons};

	kh_reasons_init(marks, a->op->arena);
	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; j < lists[i]->n; j++)
			kh_reasons_add(marks, lists[i]->at[j].code, lists[i]->at[j].member, "%.*s",
				       KH_FMT(lists[i]->at[j].detail));
	}
	return kh_arena_check(a->op->arena);
}

static enum kh_err ask(struct acting *a, enum kh_approval_kind kind)
{
	struct kh_approval_row *approval;
	struct kh_reasons marks;
	enum kh_err e = collect_marks(a, &marks);

	if (e == KH_OK)
		e = kh_begin_ask(a->op, a->govern.task, kind, &a->row, 1, &marks, &approval);
	return e == KH_OK ? tell(a, KH_ACT_WAITS) : e;
}

/* K7, in order: the models that are configured, then a supervisor or a human. */
static enum kh_err verify(struct acting *a)
{
	if (a->row->triage == KH_TRIAGE_NOT && kh_verifying_reader(a->op->engine, false) != NULL) {
		a->act->supervisor = false;
		return tell(a, KH_ACT_TRIAGE);
	}
	if (a->row->supervised == KH_TRIAGE_NOT && kh_verifying_reader(a->op->engine, true) != NULL) {
		a->act->supervisor = true;
		return tell(a, KH_ACT_TRIAGE);
	}
	return ask(a, KH_APPROVE_TOOL_CALL);
}

static enum kh_err begin(struct acting *a)
{
	enum kh_err e = kh_begin_run(a->op, &a->govern, a->row, &a->act->errand);

	return e == KH_OK ? tell(a, KH_ACT_RUNS) : e;
}

static enum kh_err follow(struct acting *a)
{
	const struct kh_decision *d = &a->govern.decision;
	struct kh_op *op = a->op;
	enum kh_err e = KH_OK;

	if (d->ruling == KH_DENY)
		return deny(a, d->deciding->code, d->deciding->why);
	if (kh_errand_find(a->proposal.row.operation) == NULL)
		return deny(a, "operation_unknown", KH_LIT("no upstream server of that name is configured"));
	if (a->row != NULL && a->act->fenced && !a->row->fenced) /* whoever approved it was not told */
		return deny(a, "fenced_not_declared",
			    KH_LIT("it was declared to be sealed: call it anew, not by its id, to have it fenced"));
	if (a->proposal.row.fenced && op->policy->fenced != KH_FENCED_ALLOW)
		return deny(a, "fenced_not_allowed", KH_LIT("the policy lets no content through in a fence"));
	e = kh_begin_afford(op, &a->govern);
	if (e == KH_EREFUSED)
		return deny(a, "budget_exceeded", kh_view_str(op->err->detail));
	if (e == KH_OK)
		e = kh_begin_row(op, &a->govern, &a->row);
	if (e != KH_OK)
		return e;
	switch (d->ruling) {
	case KH_VERIFY:
		return verify(a);
	case KH_ASK:
		return ask(a, KH_APPROVE_DECLARATION);
	case KH_ALLOW:
		return begin(a);
	case KH_DENY:
		break;
	}
	return deny(a, "OPERATION_NOT_ALLOWED", KH_LIT("the gates did not say"));
}

/* Whether the context was given something, or called something, since the call was weighed. */
static bool is_stale(const struct acting *a)
{
	const struct kh_weighed *w = a->act->weighed;

	return w == NULL || w->last_block != a->govern.context->last_block ||
	       w->last_declaration != a->govern.context->last_declaration;
}

static enum kh_err decide(struct acting *a)
{
	enum kh_err e = kh_txn_load(a->op->txn, KH_TABLE_CONTEXTS, a->govern.task->context, &a->govern.context);

	if (e != KH_OK)
		return e;
	if (is_stale(a)) {
		a->act->next = KH_ACT_AGAIN;
		return KH_OK;
	}
	if (a->row != NULL) {
		e = kh_propose_again(a->op, a->govern.task, a->row, &a->proposal);
	} else {
		a->proposal.row.fenced = a->act->fenced;
	}
	a->govern.proposal = &a->proposal;
	a->govern.weighed = a->act->weighed;
	if (e == KH_OK)
		e = kh_govern_decide(a->op, &a->govern);
	return e == KH_OK ? follow(a) : e;
}

enum kh_err kh_act_run(struct kh_op *op, void *call)
{
	struct kh_act *act = call;
	struct acting *a = KH_NEW(op->arena, struct acting);
	bool refused = false;

	if (a == NULL)
		return KH_ENOMEM;
	*a = (struct acting){.op = op, .act = act};
	act->look = (struct kh_act_look){0};
	enum kh_err e = act->declaration.n > 0 ? take_row(a) : propose_new(a, &refused);
	if (e != KH_OK || refused)
		return e;
	if (a->row != NULL && a->row->state != KH_DECLARATION_DECLARED)
		return tell(a, a->row->state == KH_DECLARATION_DONE ? KH_ACT_ENDED : KH_ACT_WAITS);
	if (a->row != NULL)
		e = kh_own_open(op, a->govern.task);
	return e == KH_OK ? decide(a) : e;
}
