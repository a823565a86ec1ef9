/*
 * An external operation from the call to what the Controller is told (A5, E12): it is decided, carried out on another
 * thread, and waited for up to a bound.  Like asking.h, the step of a work drives it until it returns KH_WORK_DONE.
 *
 * When the Controller is told depends on its own call, on the slots of B17, on a fixed clock if a human decides, and on
 * the bound.
 */
#ifndef KH_GATEWAY_OPERATING_H
#define KH_GATEWAY_OPERATING_H

#include "gateway/asking.h"

struct kh_operating {
	struct kh_token_claim token; /* the Controller's */
	struct kh_view task;         /* first step only: public id; empty: the context's only open task */
	yyjson_val *declare;         /* first step only: one declaration, in any form of E3; or NULL, and `of` is set */
	char of[KH_ASKING_ID];       /* the id (declaration's or approval's) of an earlier one */
	bool hosts; /* of a host's own tool (engine/comm/hostcall.h): TASK has such calls; what runs is not waited for */
	bool fenced;
	struct kh_waiting waiting; /* `until`, 0: the gateway's bound, counted from the first step */
	/* out, with KH_WORK_DONE; views live in the arena of that step */
	enum kh_err result;
	struct kh_comm_look look; /* ended NOT with an approval: `pending`; NOT without one: it still runs */
	/* After any step: the approval by which a human decides. */
	char waits[KH_ASKING_ID];
	/* internal */
	bool begun;
	int64_t ticket; /* it waits for its turn (turns.h); 0: it does not */
	int64_t came;   /* kh_works_now() of the step that called it last */
	bool inspected; /* content was looked at for it: nothing is told before its slot */
	int64_t slot;   /* that slot, once it is known */
	struct kh_asking_kept kept;
};

enum kh_work_next kh_operating_step(struct kh_gateway *gateway, struct kh_operating *operating, struct kh_work *work,
				    struct kh_arena *arena, struct kh_error *err);

#endif
