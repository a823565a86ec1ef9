/*
 * context.output: host.  An agent's output becomes a block, tainted by all that its context was given since the last
 * reset, by Keyhole's own books, and by what earlier outputs of it were said to come from (K5, K9).
 */
#ifndef KH_ENGINE_CONTEXT_OUTPUT_H
#define KH_ENGINE_CONTEXT_OUTPUT_H

#include "engine/engine.h"

struct kh_context_output {
	struct kh_view context;
	struct kh_view content;
	const struct kh_view *more; /* public ids of blocks of this context since its reset; can only add */
	size_t more_count;
	struct kh_view id; /* out */
	bool flagged;      /* out: an untrusted block is in its closure (K6) */
};
enum kh_err kh_context_output_run(struct kh_op *op, void *call);

#endif
