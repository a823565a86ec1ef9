/* What decisions do to declarations.  approval/decide.c has checked that the decider may decide. */
#include "engine/comm/decide.h"

#include "core/policy/hosttool.h"
#include "engine/comm/begin.h"
#include "engine/comm/end.h"
#include "engine/state/find.h"

#define BATCH 64

/* The open declarations that share an approval. */
static enum kh_err find_rows(struct kh_op *op, int64_t approval, struct kh_declaration_row *ret_rows[BATCH],
			     size_t *ret_count)
{
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_DECLARATIONS_ASKING, approval, KH_LIT(""), 0, BATCH, &ids,
				    &count);

	*ret_count = 0;
	for (size_t i = 0; e == KH_OK && i < count; i++) {
		struct kh_declaration_row *row;
		e = kh_txn_load(op->txn, KH_TABLE_DECLARATIONS, ids[i], &row);
		if (e == KH_OK && row->state == KH_DECLARATION_ASKED)
			ret_rows[(*ret_count)++] = row;
	}
	return e;
}

/* Whether a supervisor that is an agent has decided APPROVAL. */
static enum kh_err is_by_agent(struct kh_op *op, const struct kh_approval_row *approval, bool *ret_yes)
{
	struct kh_token_row *decider;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TOKENS, approval->decided_by, &decider);

	if (e == KH_OK)
		*ret_yes = decider->role == KH_ROLE_SUPERVISOR;
	return e;
}

/* The risk of a declaration by the policy now in force. */
static enum kh_err find_risk(struct kh_op *op, const struct kh_declaration_row *row, enum kh_risk *ret_risk)
{
	struct kh_view agent, path;
	enum kh_err e = kh_find_agent(op, row->context, &agent);

	if (e == KH_OK)
		*ret_risk = kh_policy_rule(op->policy, op->arena, row->operation, agent, &path)->risk;
	return e;
}

/*
 * Allows it to be called from now on.  A human who saw what tier 1 found has verified it.  An agent's decision is
 * enough only for low risk; otherwise it is passed on to a human (K7).
 */
static enum kh_err allow(struct kh_op *op, const struct kh_approval_row *approval, bool by_agent,
			 struct kh_declaration_row *row)
{
	enum kh_risk risk = KH_RISK_HIGH;
	enum kh_err e = find_risk(op, row, &risk);

	row->state = KH_DECLARATION_DECLARED;
	if (approval->kind != KH_APPROVE_TOOL_CALL)
		return e;
	if (by_agent && risk != KH_RISK_LOW)
		row->supervised = KH_TRIAGE_PASS;
	else
		row->verified = approval->id;
	return e;
}

static enum kh_err approve(struct kh_op *op, const struct kh_approval_row *approval, bool by_agent,
			   struct kh_declaration_row *const *rows, size_t count)
{
	struct kh_task_row *task = NULL;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TASKS, approval->task, &task);

	for (size_t i = 0; e == KH_OK && i < count; i++)
		e = allow(op, approval, by_agent, rows[i]);
	return e == KH_OK && count > 0 ? kh_op_event(op, KH_AUDIT_DECLARATION_ALLOWED, task, KH_LIT("")) : e;
}

/* --- a reviewer's own parameters (E6, K7: MODIFY) ----------------------------------------------------------------- */

/*
 * The declaration in place of ROW, and the decision of the gates on it: all of them but an approval, which it has not
 * got yet.
 */
static enum kh_err govern(struct kh_op *op, const struct kh_declaration_row *row, const struct kh_approval_row *edited,
			  yyjson_val *parameters, struct kh_proposal *proposal, struct kh_govern *ret_govern)
{
	struct kh_task_row *task = NULL;
	struct kh_context_row *context = NULL;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TASKS, row->task, &task);

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, row->context, &context);
	if (e == KH_OK)
		e = kh_propose_changed(op, task, row, parameters, proposal);
	if (e != KH_OK)
		return e;
	*ret_govern = (struct kh_govern){.task = task, .context = context, .proposal = proposal, .instead = edited};
	e = kh_govern_decide(op, ret_govern);
	if (e == KH_OK && ret_govern->decision.ruling == KH_DENY)
		e = kh_error_set(op->err, KH_EREFUSED, ret_govern->decision.deciding->code, "%.*s",
				 KH_FMT(ret_govern->decision.deciding->why));
	return e == KH_OK ? kh_begin_afford(op, ret_govern, false, true) : e;
}

static enum kh_err check_edit(struct kh_op *op, const struct kh_approval_row *approval,
			      struct kh_approval_choice *choice)
{
	struct kh_declaration_row *rows[BATCH];
	struct kh_proposal proposal;
	struct kh_govern g;
	size_t count = 0;

	if (op->caller->role == KH_ROLE_SUPERVISOR)
		return kh_error_set(op->err, KH_EREFUSED, "not_editable", "only a human can change a call");
	yyjson_val *parameters = NULL;
	enum kh_err e = kh_json_read(op->arena, kh_tainted_open(choice->edited), &parameters, op->err);
	if (e == KH_OK)
		e = find_rows(op, approval->id, rows, &count);
	if (e == KH_OK && count == 1 && kh_hosttool_is(rows[0]->operation))
		return kh_error_set(op->err, KH_EREFUSED, "not_editable",
				    "the host runs the call that it asked about: approve it or reject it");
	if (e == KH_OK && count != 1)
		e = kh_error_set(op->err, KH_EREFUSED, "not_editable",
				 "only an approval of one declaration can be edited: reject this one");
	return e == KH_OK ? govern(op, rows[0], approval, parameters, &proposal, &g) : e;
}

/* Faults in the new parameters are reported before anything is decided. */
static enum kh_err check(struct kh_op *op, const struct kh_approval_row *approval, struct kh_approval_choice *choice)
{
	return choice->choice == KH_CHOICE_EDIT ? check_edit(op, approval, choice) : KH_OK;
}

/* The original request gets no grant. */
static enum kh_err edit(struct kh_op *op, struct kh_approval_row *approval, const struct kh_approval_choice *choice)
{
	approval->edited = kh_arena_dup(op->arena, kh_tainted_open(choice->edited));
	approval->used = approval->uses = 0;
	return kh_arena_check(op->arena);
}

/*
 * Makes a new declaration, with an approval of its own: what a reviewer wrote is governed like what an agent wrote.  If
 * the gates have come to deny it since the reviewer wrote it, the call ends all the same.
 */
static enum kh_err replace(struct kh_op *op, struct kh_declaration_row *row, const struct kh_approval_row *edited,
			   yyjson_val *parameters)
{
	struct kh_declaration_row *made = NULL;
	struct kh_approval_row *approval;
	struct kh_proposal proposal;
	struct kh_govern g;
	enum kh_err e = govern(op, row, edited, parameters, &proposal, &g);

	if (e == KH_EREFUSED)
		return kh_comm_end_unbegun(op, row, KH_ENDED_REJECTED, "modified");
	proposal.row.modified = row->id;
	proposal.row.fenced = row->fenced;
	if (e == KH_OK)
		e = kh_begin_row(op, &g, &made);
	if (e == KH_OK)
		e = kh_begin_ask(op, g.task, KH_APPROVE_DECLARATION,
				 &(struct kh_begin_asked){made, &proposal, g.rule, g.decision.needs_admin, 0}, 1,
				 &proposal.review, &approval);
	if (e != KH_OK)
		return e;
	row->replaced = made->id;
	return kh_comm_end_unbegun(op, row, KH_ENDED_REJECTED, "modified");
}

/* --- what follows ------------------------------------------------------------------------------------------------- */

static enum kh_err decided(struct kh_op *op, const struct kh_approval_row *approval)
{
	struct kh_declaration_row *rows[BATCH];
	bool reject = approval->state == KH_APPROVAL_REJECTED, edit = approval->edited.n > 0, by_agent = false;
	yyjson_val *parameters = NULL;
	size_t count = 0;
	enum kh_err e = find_rows(op, approval->id, rows, &count);

	if (e == KH_OK)
		e = is_by_agent(op, approval, &by_agent);
	if (e == KH_OK && edit)
		e = kh_json_read(op->arena, approval->edited, &parameters, op->err);
	if (e == KH_OK && !reject && !edit)
		return approve(op, approval, by_agent, rows, count);
	for (size_t i = 0; e == KH_OK && i < count; i++)
		e = edit ? replace(op, rows[i], approval, parameters)
			 : kh_comm_end_unbegun(op, rows[i], by_agent ? KH_ENDED_DENIED : KH_ENDED_REJECTED, "rejected");
	return e;
}

static enum kh_err expired(struct kh_op *op, const struct kh_approval_row *approval)
{
	struct kh_declaration_row *rows[BATCH];
	size_t count = 0;
	enum kh_err e = find_rows(op, approval->id, rows, &count);

	for (size_t i = 0; e == KH_OK && i < count; i++)
		e = kh_comm_end_unbegun(op, rows[i], KH_ENDED_EXPIRED, "approval_expired");
	return e;
}

/* A supervisor may not decide a call that a supervisor has passed on to a human (K7). */
static enum kh_err is_agents(struct kh_op *op, const struct kh_approval_row *approval, bool *ret_yes)
{
	struct kh_declaration_row row;
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_DECLARATIONS_ASKING, approval->id, KH_LIT(""), 0, 1, &ids,
				    &count);

	*ret_yes = approval->kind == KH_APPROVE_TOOL_CALL;
	if (e != KH_OK || count == 0)
		return e;
	e = kh_txn_peek(op->txn, KH_TABLE_DECLARATIONS, ids[0], &row);
	if (e == KH_OK)
		*ret_yes = *ret_yes && row.supervised != KH_TRIAGE_PASS;
	return e;
}

const struct kh_approval_follow kh_comm_decide_follow = {
	.widens = true,
	.is_agents = is_agents,
	.check = check,
	.edit = edit,
	.decided = decided,
	.expired = expired,
};

enum kh_err kh_comm_decide_triaged(struct kh_op *op, void *call)
{
	struct kh_comm_triaged *said = call;
	struct kh_declaration_row *row;
	struct kh_task_row *task;
	enum kh_triage *verdict;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_DECLARATIONS, said->declaration, &row);

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TASKS, row->task, &task);
	if (e != KH_OK)
		return e;
	said->at = 0;
	verdict = said->supervisor ? &row->supervised : &row->triage;
	/* Two calls asked the model: the first verdict counts. */
	if (row->state != KH_DECLARATION_DECLARED || *verdict != KH_TRIAGE_NOT)
		return KH_OK;
	*verdict = said->verdict;
	/* B17: when the model said it does not show, but for the slot, which was paid for with the call. */
	said->at = row->verdict_at = kh_comm_end_slot(op, row->verify_at, KH_BEGIN_VERIFY_MS);
	return kh_op_event(op, KH_AUDIT_TRIAGED, task,
			   kh_arena_printf(op->arena, "{\"reader\":\"%.*s\",\"tier\":%d}", KH_FMT(said->reader),
					   said->supervisor ? 3 : 2));
}
