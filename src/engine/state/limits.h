/*
 * Budgets of tasks and contexts under the policy in force (B6): the policy's budget counts from the moment it is loaded,
 * for rows that exist too, unless a smaller one was set for the task or the token itself.
 */
#ifndef KH_ENGINE_STATE_LIMITS_H
#define KH_ENGINE_STATE_LIMITS_H

#include "engine/state/op.h"

struct kh_limits_budget {
	uint64_t limit; /* microbits: the policy's budget, or the smaller one of its own */
	struct kh_budget
		budget; /* as it stands under that limit: to be shown, or to replace the row's before it is used */
};

struct kh_limits_budget kh_limits_task(const struct kh_op *op, const struct kh_task_row *task);
struct kh_limits_budget kh_limits_context(const struct kh_op *op, const struct kh_context_row *context);

#endif
