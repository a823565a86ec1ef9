/*
 * What a task is for (E1): the goal as others gave it, and the plan.  It is shown with every approval and given to every
 * model that verifies, so that they can compare a call with it.
 *
 *     "goals":[{"by":"host","cut":false,"text":"..."},{"by":"user",...},{"by":"controller",...}]
 *     "plan":{"by":"controller","cut":true,"operation_count":3,"operations":["{\"operation\":...}",...],"text":"..."}
 *
 * `host` and `user` are the newest goal and the newest message of the user that the context's host added since the last
 * reset; `controller` is the task's title.  An agent that was turned writes the title and the plan, so each text says
 * who wrote it, and is cut to a bound.  There is no plan (null) while the task is in planning.
 */
#ifndef KH_ENGINE_APPROVAL_PURPOSE_H
#define KH_ENGINE_APPROVAL_PURPOSE_H

#include "engine/state/op.h"

#define KH_PURPOSE_GOAL       2048 /* bytes of one goal */
#define KH_PURPOSE_PLAN       4096 /* bytes of the plan's text */
#define KH_PURPOSE_OPERATIONS 32   /* of the plan */
#define KH_PURPOSE_OPERATION  256  /* bytes of one */

/* Adds the members `goals` and `plan`, one of them after the other: each takes the place of its name in EMIT. */
enum kh_err kh_purpose_goals(struct kh_op *op, const struct kh_task_row *task, struct kh_emit *emit) KH_CHECKED;
enum kh_err kh_purpose_plan(struct kh_op *op, const struct kh_task_row *task, struct kh_emit *emit) KH_CHECKED;

/* Both, as one canonical JSON object. */
enum kh_err kh_purpose_write(struct kh_op *op, const struct kh_task_row *task, struct kh_view *ret_json) KH_CHECKED;

#endif
