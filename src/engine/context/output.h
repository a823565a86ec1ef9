/*
 * context.output: host.  An agent's output becomes a block, tainted by all that its context was given since the last
 * reset, by Keyhole's own books, and by what earlier outputs of it were said to come from (K5, K9).
 */
#ifndef KH_ENGINE_CONTEXT_OUTPUT_H
#define KH_ENGINE_CONTEXT_OUTPUT_H

#include "engine/state/op.h"

struct kh_context_output {
	struct kh_view context;
	struct kh_view content;
	const struct kh_view *more; /* public ids of blocks of this context since its reset; can only add */
	size_t more_count;
	/* What the attribution guard found (guarding.h), when the context's last block was this one; where nobody has
	 * looked, context.output does, on the store's thread. */
	bool guarded;
	int64_t last_block;
	struct kh_view unattributed; /* JSON: what it repeats without naming its source (E10); out where not guarded */
	/* out */
	struct kh_view id;
	bool flagged; /* an untrusted block is in its closure (K6) */
	bool again;   /* the context was given something since: nothing was recorded, look again */
};
enum kh_err kh_context_output_run(struct kh_op *op, void *call);

#endif
