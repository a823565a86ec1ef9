/* Governance with the data of the store.  Trusts nothing that a declaration says about itself. */
#include "engine/comm/govern.h"

#include "base/buf.h"
#include "engine/approval/approval.h"
#include "engine/comm/giving.h"
#include "engine/state/each.h"
#include "engine/state/find.h"
#include "engine/state/quotatext.h"

#define UNTOLD 64 /* more calls at once than any tier permits */
#define BATCH  64
#define WHAT   (64U << 10)

static enum kh_err load_rate(struct kh_op *op, struct kh_govern *g)
{
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_RATES, g->context->id, g->proposal->row.operation, 0, 1, &ids,
				    &count);

	g->quota = (struct kh_quota){0};
	g->rate = NULL;
	if (e != KH_OK || count == 0)
		return e;
	e = kh_txn_load(op->txn, KH_TABLE_RATES, ids[0], &g->rate);
	if (e == KH_OK && !kh_quotatext_read(g->rate->quota, &g->quota))
		e = kh_error_set(op->err, KH_ESTORE, "store_corrupt", "the state of a rate is none");
	return e;
}

/*
 * What is told here follows from what the context knows (B17): its own calls that it has not been told the end of.  How
 * many run on the machine, and when they really end, is the pool's business: it queues (gateway/dispatch.h).
 */
static enum kh_err load_state(struct kh_op *op, struct kh_govern *g, struct kh_decide_state *state)
{
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = load_rate(op, g);

	if (e == KH_OK)
		e = kh_txn_find(op->txn, KH_INDEX_DECLARATIONS_UNTOLD, g->context->id, g->proposal->row.operation, 0,
				UNTOLD, &ids, &count);
	if (e == KH_OK)
		e = kh_approval_known(op, g->task, &state->pending);
	if (e == KH_OK && g->instead != NULL && kh_approval_seems_to_wait(g->instead, op->now))
		state->pending--; /* it is among them */
	state->egress_bytes = (uint64_t)g->task->egress;
	state->running = count;
	state->quota = g->quota;
	return e;
}

/* --- grants ------------------------------------------------------------------------------------------------------- */

struct kh_grant_call kh_govern_call(struct kh_op *op, const struct kh_proposal *proposal)
{
	const struct kh_declaration_row *row = &proposal->row;

	return (struct kh_grant_call){
		.context = kh_op_id(op, KH_ID_CONTEXT, row->context),
		.task = proposal->task_id,
		.operation = row->operation,
		.arguments = row->arguments,
		.content = row->content,
		.policy = op->policy->digest,
		.host = row->host,
		.fenced = row->fenced != 0,
	};
}

struct kh_digest kh_govern_batch(struct kh_op *op, const struct kh_declaration_row *const *rows, size_t count)
{
	struct kh_digest *all;

	if (count == 1)
		return rows[0]->arguments;
	all = KH_NEW_N(op->arena, struct kh_digest, 2 * count);
	if (all == NULL)
		return (struct kh_digest){0};
	for (size_t i = 0; i < count; i++) {
		all[2 * i] = rows[i]->arguments;
		all[2 * i + 1] = rows[i]->content;
	}
	return kh_canonical_digest(kh_view_of((const char *)all, 2 * count * sizeof(*all)));
}

/* The digest of the declarations that share APPROVAL, as they are now. */
static enum kh_err digest_of(struct kh_op *op, int64_t approval, struct kh_digest *ret_digest, size_t *ret_count)
{
	const struct kh_declaration_row *rows[BATCH];
	struct kh_declaration_row *row;
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_DECLARATIONS_OF_APPROVAL, approval, KH_LIT(""), 0, BATCH, &ids,
				    &count);

	for (size_t i = 0; e == KH_OK && i < count; i++) {
		e = kh_txn_load(op->txn, KH_TABLE_DECLARATIONS, ids[i], &row);
		rows[i] = row;
	}
	if (e == KH_OK && count > 0)
		*ret_digest = kh_govern_batch(op, rows, count);
	*ret_count = count;
	return e;
}

/* Whether APPROVAL covers the call; a batch covers each of its declarations and no other. */
static enum kh_err covers(struct kh_op *op, struct kh_approval_row *approval, const struct kh_proposal *p,
			  bool *ret_yes)
{
	struct kh_grant_call call = kh_govern_call(op, p);
	size_t count = 0;
	enum kh_err e = KH_OK;

	*ret_yes = false;
	if (approval->id == p->row.approval) /* it may be for a batch; a verification is for one call */
		e = digest_of(op, approval->id, &call.arguments, &count);
	if (count > 1) /* the digest of the batch includes the content that each refers to */
		call.content = approval->content;
	return e == KH_OK ? kh_approval_covers(op, approval, &call, ret_yes) : e;
}

/* A6: whether a human decided it.  A supervisor that is an agent verifies, but grants nothing. */
static enum kh_err is_humans(struct kh_op *op, const struct kh_approval_row *approval, bool *ret_yes)
{
	struct kh_token_row *token;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TOKENS, approval->decided_by, &token);

	*ret_yes = e == KH_OK && (token->role == KH_ROLE_REVIEWER || token->role == KH_ROLE_ADMIN);
	return e;
}

/*
 * Its own approval, or one that was widened: for a host, or for the same call more than once.  If the screen found
 * something, a human reviews each call (E3).
 */
static bool may_grant(const struct kh_declaration_row *row, const struct kh_approval_row *approval)
{
	if (approval->id == row->approval || approval->id == row->verified)
		return true;
	return (approval->host.n > 0 || approval->uses > 1) && !row->screened;
}

/* Whether a human has granted the call by approval ID; if so, *RET_GRANT is that approval. */
static enum kh_err try_grant(struct kh_op *op, const struct kh_proposal *p, int64_t id,
			     struct kh_approval_row **ret_grant)
{
	struct kh_approval_row *approval;
	bool yes = false;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, id, &approval);

	if (e == KH_OK)
		e = is_humans(op, approval, &yes);
	if (e == KH_OK && yes)
		e = covers(op, approval, p, &yes);
	if (e == KH_OK && yes)
		*ret_grant = approval;
	return e;
}

/* Finds the grant that covers the call: that of its own approval, or a wider one of its task (A2). */
static enum kh_err find_grant(struct kh_op *op, struct kh_govern *g)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_APPROVALS_OF_TASK, .number = g->task->id};
	struct kh_approval_row seen;

	g->grant = NULL;
	while (g->grant == NULL && kh_each_peek(&each, KH_TABLE_APPROVALS, &seen)) {
		if (seen.state == KH_APPROVAL_APPROVED && may_grant(&g->proposal->row, &seen))
			each.e = try_grant(op, g->proposal, seen.id, &g->grant);
	}
	return each.e;
}

/* --- the request -------------------------------------------------------------------------------------------------- */

/*
 * K7: the verdict on the call.  A model can allow only low risk.  If a human or a supervisor allowed it, that is their
 * approval, which is void once the policy that it was given under is replaced.
 */
static enum kh_err find_verdict(struct kh_op *op, struct kh_govern *g, enum kh_verified *ret_verified)
{
	const struct kh_declaration_row *row = &g->proposal->row;
	struct kh_approval_row *approval;
	bool low = g->rule->risk == KH_RISK_LOW;

	g->verified = false;
	*ret_verified = KH_VERIFIED_NOT;
	if (row->triage == KH_TRIAGE_DENY || row->supervised == KH_TRIAGE_DENY) {
		*ret_verified = KH_VERIFIED_FAILED;
		return KH_OK;
	}
	if (low && (row->triage == KH_TRIAGE_ALLOW || row->supervised == KH_TRIAGE_ALLOW))
		*ret_verified = KH_VERIFIED_PASSED;
	if (row->verified == 0)
		return KH_OK;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, row->verified, &approval);
	if (e == KH_OK)
		e = covers(op, approval, g->proposal, &g->verified);
	if (e == KH_OK && g->verified && !low) /* it was of low risk under an earlier policy, but is not now */
		e = is_humans(op, approval, &g->verified);
	if (g->verified)
		*ret_verified = KH_VERIFIED_PASSED;
	return e;
}

static enum kh_err is_admins(struct kh_op *op, const struct kh_approval_row *grant, bool *ret_yes)
{
	struct kh_token_row *token;

	*ret_yes = false;
	if (grant == NULL)
		return KH_OK;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TOKENS, grant->decided_by, &token);
	if (e == KH_OK)
		*ret_yes = token->role == KH_ROLE_ADMIN;
	return e;
}

enum kh_err kh_govern_decide(struct kh_op *op, struct kh_govern *g)
{
	const struct kh_declaration_row *row = &g->proposal->row;
	struct kh_decide_request request = {
		.operation = row->operation,
		.parameters = g->proposal->parameters,
		.origins = g->proposal->origins,
		.origin_count = g->proposal->origin_count,
		.phase = kh_view_str(kh_words_name(&kh_phase_words,
						   g->called && !g->task->hosts ? g->task->phase : KH_PHASE_EXECUTION)),
		.planned = g->proposal->planned,
		.role = KH_ROLE_CONTROLLER,
		.declared = row->screened ? KH_DECLARED_SCREENED : KH_DECLARED_OK,
		.reached = KH_TIER_AUTO,
		.taint = g->context->taint,
		.suspicious = g->weighed != NULL && g->weighed->suspicious,
	};
	struct kh_decide_state state = {0};
	struct kh_view path;
	enum kh_err e = kh_find_agent(op, row->context, &request.agent);

	if (e != KH_OK)
		return e;
	g->rule = kh_policy_rule(op->policy, op->arena, row->operation, request.agent, &path);
	if (row->id == 0 && kh_giving_is_fenced(g->rule, row))
		g->proposal->row.fenced = 1;
	e = load_state(op, g, &state);
	if (e == KH_OK)
		e = find_verdict(op, g, &request.verified);
	if (e == KH_OK)
		e = find_grant(op, g);
	if (e == KH_OK)
		e = is_admins(op, g->grant, &request.admin);
	if (e != KH_OK)
		return e;
	request.granted = g->grant != NULL;
	g->unverified = request.verified == KH_VERIFIED_NOT;
	return kh_decide_run(op->arena, op->policy, &request, &state, op->now, &g->decision);
}

/* --- the record --------------------------------------------------------------------------------------------------- */

static const char *result_word(enum kh_ruling ruling)
{
	return ruling == KH_ALLOW ? "pass" : kh_words_name(&kh_risk_ruling_words, ruling);
}

static void describe_gate(struct kh_emit *emit, const struct kh_decide_answer *a)
{
	kh_emit_object(emit);
	kh_emit_add_word(emit, "code", a->code);
	kh_emit_add_word(emit, "gate", kh_words_name(&kh_decide_gate_words, a->gate));
	kh_emit_add_word(emit, "result", result_word(a->ruling));
	kh_emit_add(emit, "rule", a->rule);
	kh_emit_end(emit);
}

enum kh_err kh_govern_describe(struct kh_op *op, const struct kh_govern *g, struct kh_view *ret_what)
{
	const struct kh_declaration_row *row = &g->proposal->row;
	struct kh_emit emit;

	kh_emit_begin(&emit, op->arena, WHAT);
	kh_emit_object(&emit);
	kh_emit_add_word(&emit, "code", g->decision.deciding->code);
	kh_emit_add_word(&emit, "decision", kh_words_name(&kh_risk_ruling_words, g->decision.ruling));
	kh_emit_key(&emit, "findings");
	kh_emit_array(&emit);
	for (size_t i = 0; g->weighed != NULL && i < g->weighed->reasons.n && i < BATCH; i++)
		kh_emit_text(&emit, kh_view_str(g->weighed->reasons.at[i].code));
	kh_emit_end(&emit);
	kh_emit_add_bool(&emit, "flagged", g->weighed != NULL && g->weighed->flagged);
	kh_emit_add_word(&emit, "gate", kh_words_name(&kh_decide_gate_words, g->decision.deciding->gate));
	kh_emit_key(&emit, "gates");
	kh_emit_array(&emit);
	for (size_t i = 0; i < g->decision.count; i++)
		describe_gate(&emit, &g->decision.answers[i]);
	kh_emit_end(&emit);
	kh_emit_add(&emit, "operation", row->operation);
	if (row->id == 0) { /* it is in no row */
		kh_emit_add_raw(&emit, "parameters", row->parameters);
	}
	kh_emit_add_word(&emit, "taint", kh_words_name(&kh_label_taint_words, g->context->taint));
	kh_emit_end(&emit);
	return kh_emit_finish(&emit, ret_what);
}
