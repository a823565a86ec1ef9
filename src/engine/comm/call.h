/*
 * comm.call: an external operation, decided in the transaction that begins it (E4-E6, K6, A2).
 *
 * Everything is checked again each time: the declaration, the phase, the policy now in force, rates and quotas, the
 * context's taint, what tier 1 found, the grant.  What tier 1 finds never makes the difference between a call that is
 * refused and one that is not: a call is compared only when all that can refuse it has passed, whatever will be found
 * (I-45).  If all gates pass, rates, egress and bits are counted, the grant is
 * used, and the row is durably marked as running before anything is carried out (deciding.h).
 */
#ifndef KH_ENGINE_COMM_CALL_H
#define KH_ENGINE_COMM_CALL_H

#include "core/comm/errand.h"
#include "engine/comm/look.h"
#include "engine/comm/weigh.h"
#include "engine/state/beforehand.h"

enum kh_comm_next {
	KH_CALL_ENDED, /* see `look`: it has ended, now or before */
	KH_CALL_RUNS,  /* this process has to carry `errand` out now (deciding.h) */
	KH_CALL_WAITS, /* a human or a supervisor decides: `approval`; or it runs already, in this process or another */
	KH_CALL_TRIAGE, /* a model is to be asked first: `ask` (verifying.h) */
	KH_CALL_AGAIN,  /* others of the same token are being decided: it has to wait for its turn */
};

struct kh_comm_call {
	struct kh_view task;
	struct kh_view declaration; /* public id of an earlier one, or of its approval; or empty, and: */
	yyjson_val *declare;        /* one declaration, in any form of E3; its session_id may be left out */
	bool hosts;  /* host.call (hostcall.h): TASK has such calls, DECLARE is one of a host's own tools */
	bool fenced; /* the content is wanted inside a fence: refused if the policy does not allow it */
	/*
	 * How often it is compared beside others of the same token, before it has to wait for its turn (KH_CALL_AGAIN); 0: as
	 * often as it takes, and nothing else is waited for.
	 */
	unsigned tries;
	int64_t came;   /* when it came in, on the engine's clock; 0: now.  Slots are counted from then (I-45) */
	bool inspected; /* out, even if it is refused: content was looked at, so the answer leaves at a slot */
	int64_t since;  /* filled in before the transaction: `came`, or now */
	/* out */
	const struct kh_weighed *weighed; /* what was found; NULL: it was not compared */
	enum kh_comm_next next;
	struct kh_comm_look look;
	struct kh_errand errand; /* lives in the arena */
	struct kh_view purpose;  /* of KH_CALL_TRIAGE: what the task is for, JSON (approval/purpose.h) */
	bool supervisor;         /* of KH_CALL_TRIAGE: the model of tier 3 is asked, otherwise that of tier 2 */
};

/*
 * KH_EREFUSED with the gate's code if a gate denies: nothing was begun, and that is recorded.  Also `budget_exceeded`,
 * `fenced_not_allowed`, `fenced_not_declared`; and KH_EINPUT with the first fault of an input that is not a declaration
 * (E3), which is recorded as `declaration_invalid`.
 */
enum kh_err kh_comm_call_run(struct kh_op *op, void *call);
enum kh_err kh_comm_call_prepare(struct kh_prepare *at, void *call);

#endif
