/*
 * recover (called by Keyhole itself): at start, and at intervals.  Handles effects whose holder is dead: waiting ones
 * are taken over, begun ones end as a failed try (`lost`) and are never begun a second time.  So every open query goes
 * on or ends with a reason (D4).
 */
#ifndef KH_ENGINE_RECOVER_H
#define KH_ENGINE_RECOVER_H

#include "engine/state/op.h"

struct kh_recover {
	int64_t *effects;        /* out: taken over, to be carried out by this process */
	struct kh_view *readers; /* out: the Reader of each of them */
	size_t count;
	size_t lost; /* out: tries lost because their process died */
};
enum kh_err kh_recover_run(struct kh_op *op, void *call);

#endif
