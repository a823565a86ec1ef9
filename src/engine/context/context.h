/*
 * Contexts: what one agent has seen (K5, K11).  This header shows one; add.h, output.h and assemble.h have what a host
 * does with one; engine/task/reset.h has its reset.
 */
#ifndef KH_ENGINE_CONTEXT_CONTEXT_H
#define KH_ENGINE_CONTEXT_CONTEXT_H

#include "engine/state/op.h"

#define KH_CONTEXT_TASKS_MAX  1000      /* open tasks of one context */
#define KH_CONTEXT_BLOCKS_MAX (1 << 20) /* blocks of a context over its whole life, up to which a host may add */

/* context.show: host (its own), reviewer, admin: taint, exposure, budget, tasks. */
struct kh_context_show {
	struct kh_view context;
	struct kh_view json; /* out */
};
enum kh_err kh_context_show_run(struct kh_op *op, void *call);

/*
 * Not operations.  Makes ROW, which is new and has its content, the newest block of CONTEXT and gives it to the
 * context: the context's taint becomes the higher of both.
 */
void kh_context_give(struct kh_context_row *context, struct kh_block_row *row);

/* Whether CONTEXT was given something untrusted since its last reset, as far as can be told without a walk. */
bool kh_context_was_given(const struct kh_context_row *context);

/*
 * KH_EREFUSED if the context has as many blocks as it may have, or (check_host) the caller is not a host.  The table of
 * operations checks the role too, but K11 depends on this check.
 */
enum kh_err kh_context_check_room(struct kh_op *op, const struct kh_context_row *context) KH_CHECKED;
enum kh_err kh_context_check_host(struct kh_op *op, const struct kh_context_row *context) KH_CHECKED;

#endif
