/*
 * comm.call: an external operation, decided in the transaction that begins it (E4-E6, K6, A2).
 *
 * Everything is looked at again, each time: the declaration, the phase, the policy now in force, rates and quotas, the
 * context's taint, what tier 1 found, the grant.  Where all gates pass, rates, egress and bits are counted, the grant
 * is used, and the row is marked running, durably, before anything is carried out (deciding.h).
 */
#ifndef KH_ENGINE_COMM_CALL_H
#define KH_ENGINE_COMM_CALL_H

#include "core/comm/errand.h"
#include "engine/comm/look.h"
#include "engine/comm/weigh.h"

enum kh_comm_next {
	KH_CALL_ENDED, /* see `look`: it is over, or was before */
	KH_CALL_RUNS,  /* `errand` is to be carried out now, by this process (deciding.h) */
	KH_CALL_WAITS, /* a human or a supervisor decides: `approval`; or it runs already, in this process or another */
	KH_CALL_TRIAGE, /* a model is to be asked first: `ask` (verifying.h) */
	KH_CALL_AGAIN,  /* the context was given something since it was weighed: weigh again */
};

struct kh_comm_call {
	struct kh_view task;
	struct kh_view declaration; /* public id of an earlier one; or its approval's; or empty and: */
	yyjson_val *declare;        /* one declaration, in any form of E3; its session_id may be left out */
	bool fenced; /* the content is wanted inside a fence: refused where the policy does not allow it */
	const struct kh_weighed *weighed;
	/* out */
	enum kh_comm_next next;
	struct kh_comm_look look;
	struct kh_errand errand; /* lives in the arena */
	struct kh_view plan;     /* of KH_CALL_TRIAGE: the task's, JSON; empty: it has none */
	bool supervisor;         /* of KH_CALL_TRIAGE: the model of tier 3 is asked, else that of tier 2 */
};

/*
 * KH_EREFUSED with the gate's code where a gate denies: nothing was begun, which is on the record.  Also
 * `budget_exceeded`, `fenced_not_allowed`, `fenced_not_declared`; and KH_EINPUT with the first thing that is wrong with
 * what is no declaration (E3), which the record has as `declaration_invalid`.
 */
enum kh_err kh_comm_call_run(struct kh_op *op, void *call);

#endif
