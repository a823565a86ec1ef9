/*
 * task.show: what is shown of a task.
 *
 * A human sees all of it.  A controller sees only what follows from its own calls and from what was delivered to it
 * (B8, B16).  It sees its budget and what remains of it, but not how that is split, because a reservation becomes a
 * charge at a moment that it must not learn.  It sees no pending approval, and of a block only the id and the source
 * that it gave itself (E12).
 */
#ifndef KH_ENGINE_TASK_SHOW_H
#define KH_ENGINE_TASK_SHOW_H

#include "engine/state/op.h"

#define KH_TASK_SHOW_BLOCKS 100 /* blocks that are listed at a time */

/* Controller (its own), host, reviewer, admin. */
struct kh_task_show {
	struct kh_view task;
	struct kh_view after; /* a block: those after it are listed; empty: from the first */
	/* out */
	struct kh_view json;       /* id, title, state, phase, budget in bits and words, escalations, taint, blocks */
	struct kh_view id, blocks; /* of it: the id, and the list as JSON */
	int64_t block_count;
	struct kh_view next; /* the AFTER for the rest of the blocks; empty: there are no more */
};
enum kh_err kh_task_show_run(struct kh_op *op, void *call);

/* Not an operation: adds a short form of TASK to the array LIST.  Out of memory marks the arena. */
void kh_task_show_brief(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *list, const struct kh_task_row *task);

#endif
