/* Contexts: reset by a human, and a host's own keeping (K5, K11). */
#ifndef KH_ENGINE_CONTEXT_H
#define KH_ENGINE_CONTEXT_H

#include "core/block/event.h"
#include "engine/engine.h"

/*
 * context.reset: reviewer, admin.  The agent's memory was cleared: taint low, nothing exposed, a fresh budget.  Its
 * tasks are closed first, so that nothing of before can be asked for again.
 */
struct kh_context_reset {
	struct kh_view context;
	struct kh_view reason; /* 10 characters or more, on the record */
};
enum kh_err kh_context_reset_run(struct kh_op *op, void *call);

/* context.add: host (contexts of tokens that it made).  What kind of event it is decides trust and type (K3); only
 * system prompt, user message, goal, commitment and supervisor message can be put in this way; what the world sent
 * comes by content.put.  An untrusted user message is given to the context, whose taint becomes high. */
struct kh_context_add {
	struct kh_view context;
	enum kh_event event;
	struct kh_view source; /* may be empty */
	struct kh_view content;
	struct kh_view id; /* out */
};
enum kh_err kh_context_add_run(struct kh_op *op, void *call);

/* context.output: host.  An agent's output becomes a block, tainted by all that its context was given (K5, K9). */
struct kh_context_output {
	struct kh_view context;
	struct kh_view content;
	const struct kh_view *more; /* public ids of blocks; can only add */
	size_t more_count;
	struct kh_view id; /* out */
	bool flagged;      /* out: an untrusted block is in its closure (K6) */
};
enum kh_err kh_context_output_run(struct kh_op *op, void *call);

/* context.assemble: host.  The blocks of a context as an agent gets them, the security policy first (K4): what the host
 * put in, outputs, and deliveries; sealed blocks by id alone are not among them. */
struct kh_context_assemble {
	struct kh_view context;
	bool xml;            /* else JSON */
	struct kh_view text; /* out */
};
enum kh_err kh_context_assemble_run(struct kh_op *op, void *call);

/* context.show: host (its own), reviewer, admin: taint, exposure, budget, tasks. */
struct kh_context_show {
	struct kh_view context;
	struct kh_view json; /* out */
};
enum kh_err kh_context_show_run(struct kh_op *op, void *call);

#endif
