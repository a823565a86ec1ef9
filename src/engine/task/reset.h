/* context.reset: the agent's memory was cleared.  It is in this folder because it closes tasks. */
#ifndef KH_ENGINE_TASK_RESET_H
#define KH_ENGINE_TASK_RESET_H

#include "engine/state/op.h"

/*
 * context.reset: reviewer, admin.  The agent's memory was cleared: taint low, nothing exposed, a fresh budget.  Its
 * tasks are closed first, so that nothing older can be asked for again; older blocks no longer count as given.
 */
struct kh_reset {
	struct kh_view context;
	struct kh_view reason; /* 10 characters or more; recorded */
};
enum kh_err kh_reset_run(struct kh_op *op, void *call);

#endif
