/*
 * What deciders do to declarations: humans and supervisors by their approvals (E6, K7), models by their verdicts.
 */
#ifndef KH_ENGINE_COMM_DECIDE_H
#define KH_ENGINE_COMM_DECIDE_H

#include "engine/approval/follow.h"

/* comm.triaged (Keyhole's own): what a model said.  SUPERVISOR: of tier 3, else of tier 2. */
struct kh_comm_triaged {
	int64_t declaration;
	bool supervisor;
	enum kh_triage verdict;
	struct kh_view reader; /* who said it */
};
enum kh_err kh_comm_decide_triaged(struct kh_op *op, void *call);

/*
 * What follows from the approval of a declaration or a call, for all that share it.  An edit puts other parameters in the
 * place of one declaration: a new one, governed again (E6).
 */
extern const struct kh_approval_follow kh_comm_decide_follow;

#endif
