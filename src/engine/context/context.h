/*
 * Contexts: what one agent has seen (K5, K11).  Show here; what a host does with one in add.h, output.h and
 * assemble.h; its reset in engine/task/reset.h.
 */
#ifndef KH_ENGINE_CONTEXT_CONTEXT_H
#define KH_ENGINE_CONTEXT_CONTEXT_H

#include "engine/state/op.h"

#define KH_CONTEXT_TASKS_MAX  1000      /* open tasks of one context */
#define KH_CONTEXT_BLOCKS_MAX (1 << 20) /* blocks of a context, since ever, that a host may add to */

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
