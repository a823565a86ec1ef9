/*
 * Alerts (B9): a budget is past its threshold, or a query is far above a Reader's history.  Each is raised once, when
 * it happens.
 */
#ifndef KH_ENGINE_AUDIT_ALERT_H
#define KH_ENGINE_AUDIT_ALERT_H

#include "engine/state/op.h"

struct kh_alert {
	struct kh_budget task, context; /* before the operation */
	bool unusual;
};

struct kh_alert kh_alert_before(const struct kh_task_row *task, const struct kh_context_row *context);

/* Notes a query of AMOUNT if that is far above READER's own history in CATEGORY.  READER NULL: it has no history. */
void kh_alert_unusual(struct kh_alert *alert, const struct kh_reader_row *reader, unsigned category, uint64_t amount);

/* Writes an event for each alert. */
enum kh_err kh_alert_after(struct kh_op *op, const struct kh_alert *alert, struct kh_task_row *task,
			   const struct kh_context_row *context, struct kh_view reader) KH_CHECKED;

#endif
