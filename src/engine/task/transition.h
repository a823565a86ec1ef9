/*
 * task.execute: from planning to execution, with the plan (E1).  A plan with screening findings, or one that was
 * written in a context of high taint, needs a human: an approval of kind `phase` is asked for, and the same call made
 * again after it was approved uses it.
 */
#ifndef KH_ENGINE_TASK_TRANSITION_H
#define KH_ENGINE_TASK_TRANSITION_H

#include "engine/state/beforehand.h"

struct kh_execute {
	struct kh_view task;
	yyjson_val *plan;
	struct kh_task_row *row; /* out */
	struct kh_view approval; /* out: pending; the phase has not changed.  Empty: it has */
};
enum kh_err kh_transition_run(struct kh_op *op, void *call);
enum kh_err kh_transition_prepare(struct kh_prepare *at, void *call);

#endif
