/*
 * Contexts: what one agent has seen (K5, K11).  Reset and show here; what a host does with one in engine/context/add.h,
 * engine/context/output.h and context_assemble.h.
 */
#ifndef KH_ENGINE_CONTEXT_CONTEXT_H
#define KH_ENGINE_CONTEXT_CONTEXT_H

#include "engine/context/add.h"
#include "engine/context/assemble.h"
#include "engine/context/output.h"

#define KH_CONTEXT_BLOCKS_MAX (1 << 20) /* blocks of a context, since ever, that a host may add to */

/*
 * context.reset: reviewer, admin.  The agent's memory was cleared: taint low, nothing exposed, a fresh budget.  Its
 * tasks are closed first, so that nothing of before can be asked for again; blocks of before are no longer given.
 */
struct kh_context_reset {
	struct kh_view context;
	struct kh_view reason; /* 10 characters or more, on the record */
};
enum kh_err kh_context_reset_run(struct kh_op *op, void *call);

/* context.show: host (its own), reviewer, admin: taint, exposure, budget, tasks. */
struct kh_context_show {
	struct kh_view context;
	struct kh_view json; /* out */
};
enum kh_err kh_context_show_run(struct kh_op *op, void *call);

/* Not operations.  Makes ROW, which is new and has its content, the newest block of CONTEXT, given to it: the
 * context's taint becomes the higher of both. */
void kh_context_give(struct kh_context_row *context, struct kh_block_row *row);

/* KH_EREFUSED where the caller is no host, or the context has all blocks that it may have: who may call is in the table
 * of operations too, but this is what K11 hangs on. */
enum kh_err kh_context_check_host(struct kh_op *op, const struct kh_context_row *context) KH_CHECKED;

#endif
