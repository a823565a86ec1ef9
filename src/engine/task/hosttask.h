/*
 * The task of a context that calls of its host's own tools hang on (K11): budgets, approvals and the record belong to a
 * task.  There is at most one open; Keyhole opens it when it is needed, and another one when its bits are spent.  It holds
 * nothing else: it never leaves the phase planning, and a Controller cannot find it.
 */
#ifndef KH_ENGINE_TASK_HOSTTASK_H
#define KH_ENGINE_TASK_HOSTTASK_H

#include "engine/state/op.h"

/* host.begin: host, hook. */
struct kh_hosttask {
	struct kh_view context; /* public id */
	struct kh_view task;    /* out: public id */
};
enum kh_err kh_hosttask_run(struct kh_op *op, void *call);

#endif
