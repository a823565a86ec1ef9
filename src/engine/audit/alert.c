/* Alerts as events of the task. */
#include "engine/audit/alert.h"

#include "engine/state/find.h"
#include "engine/state/tally.h"

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

/* PERCENT 0: the alert is not about a budget. */
static enum kh_err raise(struct kh_op *op, struct kh_task_row *task, const char *code, unsigned percent,
			 struct kh_view reader)
{
	struct kh_emit what;

	kh_tally_add(kh_engine_tally(op->engine), KH_TALLY_ALERTS, kh_view_str(code), KH_LIT(""), 1);
	kh_op_describe(op, &what);
	kh_emit_add_word(&what, "code", code);
	if (percent != 0)
		kh_emit_add_int(&what, "percent", percent);
	kh_emit_add(&what, "reader", reader);
	return kh_op_event(op, KH_AUDIT_ALERT, task, kh_op_described(op, &what));
}

enum kh_err kh_alert_after(struct kh_op *op, const struct kh_alert *alert, struct kh_task_row *task,
			   const struct kh_context_row *context, struct kh_view reader)
{
	unsigned percent = (unsigned)op->policy->budgets.alert_percent;
	enum kh_err e = KH_OK;

	if (kh_budget_crossed(&alert->task, &task->budget, percent))
		e = raise(op, task, "task_budget", percent, reader);
	if (e == KH_OK && kh_budget_crossed(&alert->context, &context->budget, percent))
		e = raise(op, task, "context_budget", percent, reader);
	if (e == KH_OK && alert->unusual)
		e = raise(op, task, "unusual_bandwidth", 0, reader);
	return e;
}
