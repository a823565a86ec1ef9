/*
 * recover (Keyhole's own): at start, and now and then.  Effects whose holder is dead: waiting ones are taken over,
 * begun ones end as a failed try (`lost`), never a second time.  So every open query goes on or ends with a reason
 * (D4).
 */
#ifndef KH_ENGINE_RECOVER_H
#define KH_ENGINE_RECOVER_H

#include "engine/state/op.h"

struct kh_recover {
	int64_t *effects;        /* out: taken over, to be carried out by this process */
	struct kh_view *readers; /* out: and whom each of them is to be asked of */
	size_t count;
	size_t lost; /* out: tries that died with their process */
};
enum kh_err kh_recover_run(struct kh_op *op, void *call);

#endif
