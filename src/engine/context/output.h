/*
 * context.output: host.  An agent's output becomes a block.  Keyhole's own records say what taints it: everything that
 * its context was given since the last reset, and what earlier outputs were said to come from (K5, K9).
 */
#ifndef KH_ENGINE_CONTEXT_OUTPUT_H
#define KH_ENGINE_CONTEXT_OUTPUT_H

#include "engine/state/beforehand.h"

struct kh_context_output {
	struct kh_view context;
	struct kh_view content;
	const struct kh_view *more; /* public ids of blocks of this context since its reset; they can only add taint */
	size_t more_count;
	/*
	 * What the attribution guard found (guarding.h), and the context's last block at that time.  If the guard was
	 * not run, context.output has it run before it goes on.
	 */
	bool guarded;
	int64_t last_block;
	struct kh_view unattributed; /* JSON: what it repeats without naming its source (E10); out if not guarded */
	bool copies;                 /* it repeats untrusted text, so it is data (K9); likewise */
	/* out */
	struct kh_view id;
	bool flagged; /* an untrusted block is in its closure (K6) */
	bool again;   /* the context was given something since: nothing was recorded, compare again */
};
enum kh_err kh_context_output_run(struct kh_op *op, void *call);
enum kh_err kh_context_output_prepare(struct kh_prepare *at, void *call);

#endif
