/* Finds the task of a host's own calls, or opens one. */
#include "engine/task/hosttask.h"

#include "engine/context/context.h"
#include "engine/state/budgetjson.h"
#include "engine/state/each.h"
#include "engine/state/find.h"
#include "engine/task/task.h"

#define LEAST (64 * KH_MICROBIT) /* with less, a task is closed: no call would pass */

static enum kh_err find_open(struct kh_op *op, int64_t context, struct kh_task_row **ret_task)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_TASKS_OPEN, .number = context};
	struct kh_task_row seen;

	*ret_task = NULL;
	while (*ret_task == NULL && kh_each_peek(&each, KH_TABLE_TASKS, &seen)) {
		if (seen.hosts)
			each.e = kh_txn_load(op->txn, KH_TABLE_TASKS, seen.id, ret_task);
	}
	return each.e;
}

/* Whether TASK has spent its bits and nothing of it is open. */
static enum kh_err is_spent(struct kh_op *op, const struct kh_task_row *task, bool *ret_yes)
{
	int64_t *ids = NULL;
	size_t count = 0;

	*ret_yes = false;
	if (kh_limits_task(op, task).budget.remaining >= LEAST)
		return KH_OK;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_DECLARATIONS_OPEN, task->id, KH_LIT(""), 0, 1, &ids, &count);
	*ret_yes = e == KH_OK && count == 0;
	return e;
}

enum kh_err kh_hosttask_run(struct kh_op *op, void *call)
{
	struct kh_hosttask *host = call;
	struct kh_context_row *context = NULL;
	struct kh_task_row *task = NULL;
	bool spent = false;
	enum kh_err e = kh_find_context(op, host->context, &context);

	if (e == KH_OK)
		e = find_open(op, context->id, &task);
	if (e == KH_OK && task != NULL)
		e = is_spent(op, task, &spent);
	if (e == KH_OK && spent)
		e = kh_task_end_spent(op, task);
	if (e == KH_OK && (task == NULL || spent))
		e = kh_task_open_hosts(op, context->id, &task);
	if (e != KH_OK)
		return e;
	host->task = kh_op_id(op, KH_ID_TASK, task->id);
	return kh_arena_check(op->arena);
}
