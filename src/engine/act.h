/*
 * comm.call: an external operation, decided in the transaction that begins it (E4-E6, K6, A2).
 *
 * Everything is looked at again, each time: the declaration, the phase, the policy now in force, rates and quotas, the
 * context's taint, what tier 1 found, the grant.  Where all gates pass, rates, egress and bits are counted, the grant
 * is used, and the row is marked running, durably, before anything is carried out (perform.h).
 */
#ifndef KH_ENGINE_ACT_H
#define KH_ENGINE_ACT_H

#include "engine/declare.h"
#include "engine/weigh.h"
#include "errand/errand.h"

enum kh_act_next {
	KH_ACT_ENDED,  /* see `look`: it is over, or was before */
	KH_ACT_RUNS,   /* `errand` is to be carried out now, by this process (perform.h) */
	KH_ACT_WAITS,  /* a human or a supervisor decides: `approval`; or it runs already, in this process or another */
	KH_ACT_TRIAGE, /* a model is to be asked first: `ask` (verifying.h) */
	KH_ACT_AGAIN,  /* the context was given something since it was weighed: weigh again */
};

/* What a Controller may know of an operation (E12). */
struct kh_act_look {
	enum kh_ended ended; /* KH_ENDED_NOT: not yet */
	struct kh_view id;   /* the declaration's public id */
	struct kh_view task;
	struct kh_view operation, parameters; /* its own words, or those of the reviewer who changed them; JSON */
	bool modified;                        /* a reviewer put this one in the place of what was declared (E6) */
	struct kh_view approval;              /* where a human is waited for */
	struct kh_view block;                 /* where it ended well: the sealed block */
	struct kh_view fenced; /* the fence's JSON (fence.h), where the policy and the caller wanted it: the context's
				  taint is high from now on (E12) */
	int64_t due; /* when to look again at the earliest; 0: when somebody has acted.  Not for the Controller */
	struct kh_declaration_row *row;
};

struct kh_act {
	struct kh_view task;
	struct kh_view declaration; /* public id of an earlier one; or its approval's; or empty and: */
	yyjson_val *declare;        /* one declaration, in any form of E3; its session_id may be left out */
	bool fenced; /* the content is wanted inside a fence: refused where the policy does not allow it */
	const struct kh_weighed *weighed;
	/* out */
	enum kh_act_next next;
	struct kh_act_look look;
	struct kh_errand errand; /* lives in the arena */
};

/*
 * KH_EREFUSED with the gate's code where a gate denies: nothing was begun, which is on the record.  Also
 * `declaration_invalid`, `declaration_ended` (it was called before), `budget_exceeded`, `fenced_not_allowed`.
 */
enum kh_err kh_act_run(struct kh_op *op, void *call);

/* comm.look: what may be known of it now.  Controller, host, reviewer, admin.  Looking makes a due outcome happen. */
struct kh_act_looking {
	struct kh_view declaration; /* public id; or */
	struct kh_view approval;
	struct kh_act_look look;
};
enum kh_err kh_act_look_run(struct kh_op *op, void *call);

/* comm.end (Keyhole's own): what came of a running one.  Where it is not running any more, nothing of it is used. */
struct kh_act_end {
	int64_t declaration;
	struct kh_errand_result result;
};
enum kh_err kh_act_end_run(struct kh_op *op, void *call);

/* comm.triaged (Keyhole's own): what a model said.  SUPERVISOR: of tier 3, else of tier 2. */
struct kh_act_triaged {
	int64_t declaration;
	bool supervisor;
	enum kh_triage verdict;
	struct kh_view reader; /* who said it */
};
enum kh_err kh_act_triaged_run(struct kh_op *op, void *call);

/* comm.show, comm.list: for humans, everything: gates, matches, the world's words.  JSON. */
struct kh_act_show {
	struct kh_view declaration;
	struct kh_view json; /* out */
};
enum kh_err kh_act_show_run(struct kh_op *op, void *call);
struct kh_act_list {
	struct kh_view task;  /* public id */
	struct kh_view after; /* a declaration's public id, or empty */
	size_t limit;         /* 0: 100 */
	struct kh_view json;  /* out: an array */
	bool more;
};
enum kh_err kh_act_list_run(struct kh_op *op, void *call);

#endif
