/*
 * What deciders do to declarations: humans and supervisors by their approvals (E6, K7), models by their verdicts.
 */
#ifndef KH_ENGINE_COMM_DECIDE_H
#define KH_ENGINE_COMM_DECIDE_H

#include "base/json.h"
#include "engine/approval/decide.h"

/* comm.triaged (Keyhole's own): what a model said.  SUPERVISOR: of tier 3, else of tier 2. */
struct kh_act_triaged {
	int64_t declaration;
	bool supervisor;
	enum kh_triage verdict;
	struct kh_view reader; /* who said it */
};
enum kh_err kh_act_decide_triaged(struct kh_op *op, void *call);

/* Not operations.  APPROVAL, of a declaration or a call, was decided: what follows for all that share it.  PARAMETERS:
 * of an edit, what a reviewer puts in their place; a new declaration, governed again. */
enum kh_err kh_act_decide_follow(struct kh_op *op, struct kh_approval_row *approval, enum kh_choice choice,
				 yyjson_val *parameters) KH_CHECKED;

/* Nobody decided APPROVAL in its time. */
enum kh_err kh_act_decide_expired(struct kh_op *op, const struct kh_approval_row *approval) KH_CHECKED;

/* Whether an edit with PARAMETERS may be made: KH_EINPUT or KH_EREFUSED with the gate's code where not. */
enum kh_err kh_act_decide_check(struct kh_op *op, const struct kh_approval_row *approval,
				yyjson_val *parameters) KH_CHECKED;

/* Whether a supervisor that is an agent may decide APPROVAL: not where one has passed it on to a human (K7). */
enum kh_err kh_act_decide_is_agents(struct kh_op *op, const struct kh_approval_row *approval, bool *ret_yes) KH_CHECKED;

#endif
