/* context.reset: the agent's memory was cleared.  It stands with tasks because it closes them. */
#ifndef KH_ENGINE_TASK_RESET_H
#define KH_ENGINE_TASK_RESET_H

#include "engine/state/op.h"

/*
 * context.reset: reviewer, admin.  The agent's memory was cleared: taint low, nothing exposed, a fresh budget.  Its
 * tasks are closed first, so that nothing of before can be asked for again; blocks of before are no longer given.
 */
struct kh_reset {
	struct kh_view context;
	struct kh_view reason; /* 10 characters or more, on the record */
};
enum kh_err kh_reset_run(struct kh_op *op, void *call);

#endif
