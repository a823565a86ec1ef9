/* What a budget is under the policy in force. */
#include "engine/state/limits.h"

/* The defaults of the versions that did not keep whether a budget was set for a row itself. */
#define TASK_ONCE    (4096 * KH_MICROBIT)
#define CONTEXT_ONCE (16384 * KH_MICROBIT)

static struct kh_limits_budget under(const struct kh_budget *budget, uint64_t bits, uint64_t once)
{
	struct kh_budget known = kh_budget_with_own(*budget, once);
	uint64_t most = bits * KH_MICROBIT, limit = known.own < most ? known.own : most;

	return (struct kh_limits_budget){limit, kh_budget_under(known, limit)};
}

struct kh_limits_budget kh_limits_task(const struct kh_op *op, const struct kh_task_row *task)
{
	return under(&task->budget, op->policy->budgets.task_bits, TASK_ONCE);
}

struct kh_limits_budget kh_limits_context(const struct kh_op *op, const struct kh_context_row *context)
{
	return under(&context->budget, op->policy->budgets.context_bits, CONTEXT_ONCE);
}
