/* Alerts as events of the task. */
#include "engine/audit/alert.h"

#include "engine/state/find.h"

#define WHAT_LIMIT 4096

struct kh_alert kh_alert_before(const struct kh_task_row *task, const struct kh_context_row *context)
{
	return (struct kh_alert){.task = task->budget, .context = context->budget};
}

void kh_alert_unusual(struct kh_alert *alert, const struct kh_reader_row *reader, unsigned category, uint64_t amount)
{
	if (reader == NULL)
		return;
	const uint64_t queries[] = {reader->queries_1, reader->queries_2, reader->queries_3};
	const uint64_t totals[] = {reader->total_1, reader->total_2, reader->total_3};
	alert->unusual = kh_budget_unusual(queries[category - 1], totals[category - 1], amount);
}

static enum kh_err raise(struct kh_op *op, struct kh_task_row *task, const char *code, const struct kh_budget *budget,
			 struct kh_view reader)
{
	struct kh_view what = {NULL, 0};
	struct kh_emit emit;

	kh_emit_begin(&emit, op->arena, WHAT_LIMIT);
	kh_emit_object(&emit);
	kh_emit_add_word(&emit, "code", code);
	if (budget != NULL) {
		kh_emit_add_int(&emit, "percent", (int64_t)op->policy->budgets.alert_percent);
	}
	kh_emit_add(&emit, "reader", reader);
	kh_emit_end(&emit);
	enum kh_err e = kh_emit_finish(&emit, &what);
	return e == KH_OK ? kh_op_event(op, KH_AUDIT_ALERT, task, what) : e;
}

enum kh_err kh_alert_after(struct kh_op *op, const struct kh_alert *alert, struct kh_task_row *task,
			   const struct kh_context_row *context, struct kh_view reader)
{
	unsigned percent = (unsigned)op->policy->budgets.alert_percent;
	enum kh_err e = KH_OK;

	if (kh_budget_crossed(&alert->task, &task->budget, percent))
		e = raise(op, task, "task_budget", &task->budget, reader);
	if (e == KH_OK && kh_budget_crossed(&alert->context, &context->budget, percent))
		e = raise(op, task, "context_budget", &context->budget, reader);
	if (e == KH_OK && alert->unusual)
		e = raise(op, task, "unusual_bandwidth", NULL, reader);
	return e;
}
