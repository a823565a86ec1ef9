/*
 * What deciders do to declarations: humans and supervisors through their approvals (E6, K7), models through their
 * verdicts.
 */
#ifndef KH_ENGINE_COMM_DECIDE_H
#define KH_ENGINE_COMM_DECIDE_H

#include "engine/approval/follow.h"

/* comm.triaged (called by Keyhole itself): what a model said.  SUPERVISOR: the model of tier 3, otherwise of tier 2. */
struct kh_comm_triaged {
	int64_t declaration;
	bool supervisor;
	enum kh_triage verdict;
	struct kh_view reader; /* the model that said it */
	/* out */
	int64_t at; /* the slot from which it counts; 0: it does not, because another verdict came first */
};
enum kh_err kh_comm_decide_triaged(struct kh_op *op, void *call);

/*
 * The consequences of an approval of a declaration or a call, for all that share it.  An edit replaces one declaration
 * by a new one with other parameters, which is governed again (E6).
 */
extern const struct kh_approval_follow kh_comm_decide_follow;

#endif
