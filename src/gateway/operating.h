/*
 * An external operation from the call to what the Controller is told (A5, E12): decided, carried out beside the
 * callers, waited for a bounded time.  As asking.h: to be driven by the step of a work, until it says KH_WORK_DONE.
 *
 * When the Controller is told depends on its own call, on the slots of B17, on a fixed clock where a human decides, and
 * on the bound.
 */
#ifndef KH_GATEWAY_OPERATING_H
#define KH_GATEWAY_OPERATING_H

#include "gateway/asking.h"

struct kh_operating {
	struct kh_view token;  /* the Controller's; lives as long as the operating */
	struct kh_view task;   /* the first step's: public id; empty: the context's only open one */
	yyjson_val *declare;   /* the first step's: one declaration, in any form of E3; or NULL and `of` */
	char of[KH_ASKING_ID]; /* the id (declaration's or approval's) of an earlier one */
	bool fenced;
	struct kh_waiting waiting; /* `until`, 0: the gateway's bound from the first step on */
	/* out, with KH_WORK_DONE; views live in the arena of that step */
	enum kh_err result;
	struct kh_comm_look look; /* ended NOT and an approval: `pending`; NOT and none: it still runs */
	/* After any step: a human decides, and by which approval. */
	char waits[KH_ASKING_ID];
	/* of the operating */
	bool begun;
};

enum kh_work_next kh_operating_step(struct kh_gateway *gateway, struct kh_operating *operating, struct kh_work *work,
				    struct kh_arena *arena, struct kh_error *err);

#endif
