/*
 * comm.call.  All checks come first and change nothing.  The consequences are in one transaction with their events, and
 * what is to happen outside is handed out only when that is durable.
 */
#include "engine/comm/call.h"

#include "engine/approval/approval.h"
#include "engine/approval/purpose.h"
#include "engine/comm/begin.h"
#include "engine/comm/end.h"
#include "engine/comm/giving.h"
#include "engine/comm/halt.h"
#include "engine/comm/hostcall.h"
#include "engine/comm/standby.h"
#include "engine/comm/tiers.h"
#include "engine/context/context.h"
#include "engine/state/find.h"
#include "engine/upstream/pinned.h"

struct calling {
	struct kh_op *op;
	struct kh_comm_call *call;
	struct kh_govern govern;
	struct kh_proposal proposal;
	struct kh_declaration_row *row; /* NULL: it is not in a table yet */
	int64_t sent;                   /* bytes that models behind a network are sent of it */
};

/* --- what is called ----------------------------------------------------------------------------------------------- */

/* K11: a host asks about a tool of its own, in the task that is for such calls. */
static enum kh_err read_hosts(struct calling *a)
{
	if (!a->govern.task->hosts)
		return kh_find_none(a->op, a->call->task, "unknown_task", KH_EUNKNOWN);
	return kh_hostcall_propose(a->op, a->govern.task, a->call->declare, &a->proposal);
}

static enum kh_err read_one(struct calling *a)
{
	struct kh_proposal *all = NULL;
	size_t count = 0;
	enum kh_err e = kh_propose_read(a->op, a->govern.task, a->call->declare, &all, &count);

	if (e == KH_OK && count != 1)
		e = kh_error_set(a->op->err, KH_EINPUT, "too_many",
				 "one declaration is called at a time, there are %zu", count);
	if (e == KH_OK)
		a->proposal = all[0];
	return e;
}

static enum kh_err propose_new(struct calling *a, bool *ret_refused)
{
	struct kh_op *op = a->op;
	enum kh_err e = kh_find_meant_task(op, a->call->task, &a->govern.task);

	if (e != KH_OK)
		return e;
	e = a->call->hosts ? read_hosts(a) : read_one(a);
	*ret_refused = e == KH_EINPUT || e == KH_EREFUSED;
	if (*ret_refused)
		return op->rehearses ? e : kh_propose_refuse(op, a->govern.task, e);
	return e;
}

/* Takes an earlier declaration, as it is now. */
static enum kh_err take_row(struct calling *a)
{
	struct kh_op *op = a->op;
	enum kh_err e = kh_comm_look_find(op, a->call->declaration, &a->row);

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TASKS, a->row->task, &a->govern.task);
	if (e == KH_OK && (a->govern.task->hosts != 0) != a->call->hosts)
		e = kh_find_none(op, a->call->declaration, "unknown_declaration", KH_EUNKNOWN);
	if (e == KH_OK && !op->rehearses)
		e = kh_comm_end_due(op, a->row);
	return e;
}

/* --- what follows ------------------------------------------------------------------------------------------------- */

static enum kh_err tell(struct calling *a, enum kh_comm_next next)
{
	a->call->next = next;
	return kh_comm_look_at(a->op, a->row, &a->call->look);
}

/* Tells the caller the gate's code, and records it.  A call that a supervisor or a model has denied has ended. */
static enum kh_err deny(struct calling *a, const char *code, struct kh_view why)
{
	struct kh_op *op = a->op;
	struct kh_decision *d = &a->govern.decision;
	struct kh_decide_answer *own = KH_NEW(op->arena, struct kh_decide_answer);
	struct kh_view what;

	if (own == NULL)
		return KH_ENOMEM;
	if (op->rehearses)
		return KH_EREFUSED;
	if (d->ruling != KH_DENY) { /* not from a gate: from the engine itself, after all gates */
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
		e = kh_op_event(op, KH_AUDIT_DECLARATION_DENIED, a->govern.task, what);
		if (e == KH_OK)
			e = kh_comm_end_unbegun(op, a->row, KH_ENDED_DENIED, "verification_failed");
		return e == KH_OK ? tell(a, KH_CALL_ENDED) : e;
	}
	return kh_op_refuse(op, KH_AUDIT_DECLARATION_DENIED, a->govern.task, what,
			    kh_error_set(op->err, KH_EREFUSED, code, "%.*s", KH_FMT(why)));
}

/* Collects what a reviewer is told: what the screen found in the declaration, and what tier 1 found in the call. */
static enum kh_err collect_marks(struct calling *a, struct kh_reasons *marks)
{
	const struct kh_reasons *lists[] = {&a->proposal.review, &a->call->weighed->reasons};

	kh_reasons_init(marks, a->op->arena);
	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; j < lists[i]->n; j++)
			kh_reasons_add(marks, lists[i]->at[j].code, lists[i]->at[j].member, "%.*s",
				       KH_FMT(lists[i]->at[j].detail));
	}
	return kh_arena_check(a->op->arena);
}

static enum kh_err ask(struct calling *a, enum kh_approval_kind kind)
{
	struct kh_begin_asked asked = {.row = a->row,
				       .proposal = &a->proposal,
				       .rule = a->govern.rule,
				       .admin = a->govern.decision.needs_admin,
				       .came = a->govern.came};
	struct kh_approval_row *approval;
	struct kh_reasons marks;
	enum kh_err e = collect_marks(a, &marks);

	if (e == KH_OK)
		e = kh_begin_ask(a->op, a->govern.task, kind, &asked, 1, &marks, &approval);
	return e == KH_OK ? tell(a, KH_CALL_WAITS) : e;
}

static bool is_verdict(enum kh_triage said)
{
	return said == KH_TRIAGE_ALLOW || said == KH_TRIAGE_DENY;
}

/*
 * Whether a model is being asked.  Until what it says counts, a call of the same is answered without the gates: what
 * they say now would show whether the model has spoken.
 */
static bool is_asking(const struct calling *a)
{
	const struct kh_declaration_row *row = a->row;

	return row->verify_at != 0 && !is_verdict(row->triage) && !is_verdict(row->supervised) &&
	       kh_tiers_next(a->op->engine, row) != KH_TIERS_NONE;
}

static enum kh_err ask_model(struct calling *a)
{
	a->call->supervisor = kh_tiers_next(a->op->engine, a->row) == 1;
	enum kh_err e = kh_purpose_write(a->op, a->govern.task, &a->call->purpose);
	return e == KH_OK ? tell(a, KH_CALL_TRIAGE) : e;
}

/* Then a supervisor or a human. */
static enum kh_err verify(struct calling *a)
{
	a->row->triage = a->proposal.row.triage;
	a->row->supervised = a->proposal.row.supervised;
	if (kh_tiers_next(a->op->engine, a->row) == KH_TIERS_NONE)
		return ask(a, KH_APPROVE_TOOL_CALL);
	enum kh_err e = kh_begin_verify(a->op, &a->govern, a->row, a->sent);
	return e == KH_OK ? ask_model(a) : e;
}

/* U4: the call of a tool that has changed waits until a human has seen the change. */
static enum kh_err begin(struct calling *a)
{
	bool is_held = false;
	enum kh_err e = a->call->hosts ? KH_OK
				       : kh_pinned_is_held(a->op, a->row->operation, a->proposal.parameters, &is_held);

	if (e == KH_OK && is_held)
		e = kh_standby_wait(a->op, &a->govern, a->row);
	else if (e == KH_OK)
		e = kh_begin_run(a->op, &a->govern, a->row, &a->call->errand);
	return e == KH_OK ? tell(a, is_held || a->call->hosts ? KH_CALL_WAITS : KH_CALL_RUNS) : e;
}

/* Whether the context was given something from outside that the call is compared with. */
static bool was_given(const struct calling *a)
{
	return kh_context_was_given(a->govern.context);
}

/*
 * What the call costs at most.  If content may be found in it, it has to be verified too: so whether it can be paid for
 * does not follow from what is found.
 */
static enum kh_err afford(struct calling *a)
{
	const struct kh_decision *d = &a->govern.decision;
	bool verifies = d->ruling == KH_VERIFY || (a->govern.unverified && was_given(a));
	struct kh_declaration_row row = a->proposal.row; /* a copy: it may not come to that */
	int64_t sent = 0;
	enum kh_err e = verifies && row.verify_at == 0 ? kh_tiers_afford(a->op, a->govern.task, &row, &sent) : KH_OK;

	if (e != KH_OK)
		return e;
	bool models = verifies && kh_tiers_next(a->op->engine, &row) != KH_TIERS_NONE;
	return kh_begin_afford(a->op, &a->govern, models && row.verify_at == 0,
			       d->ruling == KH_ASK || (verifies && !models));
}

/* Everything that refuses the call, whatever it is compared with.  *RET_CODE is NULL if nothing does. */
static enum kh_err check(struct calling *a, const char **ret_code, struct kh_view *ret_why)
{
	const struct kh_decision *d = &a->govern.decision;
	const struct kh_declaration_row *row = &a->proposal.row;
	struct kh_op *op = a->op;
	bool is_halted = false;
	enum kh_err e = kh_halt_is(op, &is_halted);

	if (e != KH_OK)
		return e;
	*ret_code = NULL;
	if (is_halted) {
		*ret_code = "halted";
		*ret_why = KH_LIT("a human has stopped all external operations: tell the user");
	} else if (d->ruling == KH_DENY) {
		*ret_code = d->deciding->code;
		*ret_why = d->deciding->why;
	} else if (!a->call->hosts && !kh_engine_can_run(op->engine, row->operation)) {
		*ret_code = "operation_unknown";
		*ret_why = KH_LIT("no upstream server of that name is configured");
	} else if (a->row != NULL && a->call->fenced && !a->row->fenced) {
		/* Whoever approved it was not told about the fence. */
		*ret_code = "fenced_not_declared";
		*ret_why = KH_LIT("it was declared to be sealed: call it anew, not by its id, to have it fenced");
	} else if (row->fenced && op->policy->fenced != KH_FENCED_ALLOW) {
		*ret_code = "fenced_not_allowed";
		*ret_why = KH_LIT("the policy lets no content through in a fence");
	} else if (row->fenced && kh_giving_server(row->operation).n > 0 && !kh_giving_is_fenced(a->govern.rule, row)) {
		*ret_code = "fenced_not_allowed";
		*ret_why = KH_LIT("the rule for this tool lets no content through in a fence");
	} else {
		e = afford(a);
		if (e != KH_EREFUSED)
			return e;
		*ret_code = "budget_exceeded";
		*ret_why = kh_view_str(op->err->detail);
	}
	return KH_OK;
}

static enum kh_err follow(struct calling *a)
{
	enum kh_ruling ruling = a->govern.decision.ruling;
	enum kh_err e = KH_OK;

	if (ruling == KH_VERIFY && a->proposal.row.verify_at == 0)
		e = kh_tiers_afford(a->op, a->govern.task, &a->proposal.row, &a->sent);
	if (e == KH_OK)
		e = kh_begin_row(a->op, &a->govern, &a->row);
	if (e != KH_OK)
		return e;
	switch (ruling) {
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

/* K7: compares the call, and decides with what was found. */
static enum kh_err weigh(struct calling *a)
{
	a->call->inspected = true;
	enum kh_err e = kh_weigh_want(a->op, a->govern.context, a->proposal.row.operation, a->proposal.parameters,
				      a->call->tries, &a->call->weighed);

	if (e != KH_OK)
		return e;
	if (a->call->weighed == NULL) {
		a->call->next = KH_CALL_AGAIN;
		return KH_OK;
	}
	a->govern.weighed = a->call->weighed;
	e = a->call->weighed->suspicious ? kh_govern_decide(a->op, &a->govern) : KH_OK;
	return e == KH_OK ? follow(a) : e;
}

static enum kh_err decide(struct calling *a)
{
	const char *code = NULL;
	struct kh_view why = KH_LIT("");
	enum kh_err e = kh_txn_load(a->op->txn, KH_TABLE_CONTEXTS, a->govern.task->context, &a->govern.context);

	if (e == KH_OK && a->row != NULL)
		e = kh_propose_again(a->op, a->govern.task, a->row, &a->proposal);
	a->govern.proposal = &a->proposal;
	a->govern.called = true;
	a->govern.came = a->call->since < a->op->now ? a->call->since : a->op->now;
	if (a->row == NULL) {
		a->proposal.row.fenced = a->call->fenced;
		a->proposal.row.declared_at = a->govern.came;
	}
	if (e == KH_OK)
		e = kh_govern_decide(a->op, &a->govern);
	if (e == KH_OK)
		e = check(a, &code, &why);
	if (e != KH_OK)
		return e;
	return code != NULL ? deny(a, code, why) : weigh(a);
}

enum kh_err kh_comm_call_prepare(struct kh_prepare *at, void *call)
{
	struct kh_comm_call *calls = call;

	calls->since = calls->came != 0 ? calls->came : at->came;
	calls->inspected = false;
	at->rehearse = 2; /* arguments against the pinned schema (U5), then against content (K7) */
	return calls->declaration.n == 0 && !calls->hosts ? kh_propose_prepare(at, calls->declare, calls->task) : KH_OK;
}

enum kh_err kh_comm_call_run(struct kh_op *op, void *arg)
{
	struct kh_comm_call *call = arg;
	struct calling *a = KH_NEW(op->arena, struct calling);
	bool refused = false;

	if (a == NULL)
		return KH_ENOMEM;
	*a = (struct calling){.op = op, .call = call};
	call->look = (struct kh_comm_look){0};
	call->weighed = NULL;
	enum kh_err e = call->declaration.n > 0 ? take_row(a) : propose_new(a, &refused);
	if (e != KH_OK || refused)
		return e;
	/* What a model has said counts from its slot on; until then the call waits as if the model were still asked. */
	if (a->row != NULL && (a->row->state != KH_DECLARATION_DECLARED || a->row->verdict_at > op->now))
		return tell(a, a->row->state == KH_DECLARATION_DONE ? KH_CALL_ENDED : KH_CALL_WAITS);
	if (a->row != NULL)
		e = kh_find_open(op, a->govern.task);
	if (e != KH_OK)
		return e;
	return a->row != NULL && is_asking(a) ? ask_model(a) : decide(a);
}
