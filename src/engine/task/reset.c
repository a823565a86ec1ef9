/*
 * Only a reset lowers a context's taint, only a human may reset (the table of operations), and the reset is an event
 * with its reason.
 */
#include "engine/task/reset.h"

#include "base/utf8.h"
#include "engine/comm/giving.h"
#include "engine/state/find.h"
#include "engine/state/limits.h"
#include "engine/task/task.h"

#define REASON_MIN 10  /* characters */
#define REASON_MAX 500 /* bytes */

static enum kh_err check_reason(struct kh_op *op, struct kh_view reason)
{
	if (reason.n > REASON_MAX)
		return kh_error_set(op->err, KH_ELIMIT, "too_long", "the reason has more than %d bytes", REASON_MAX);
	if (!kh_utf8_is_visible(reason))
		return kh_error_set(op->err, KH_EINPUT, "bad_value",
				    "the reason has control, invisible or broken characters");
	if (kh_utf8_length(kh_view_trim(reason)) < REASON_MIN)
		return kh_error_set(op->err, KH_EINPUT, "too_short", "the reason has fewer than %d characters",
				    REASON_MIN);
	return KH_OK;
}

enum kh_err kh_reset_run(struct kh_op *op, void *call)
{
	const struct kh_reset *reset = call;
	struct kh_context_row *context = NULL;
	struct kh_emit what;
	enum kh_err e = check_reason(op, reset->reason);

	if (e == KH_OK)
		e = kh_find_context(op, reset->context, &context);
	if (e == KH_OK)
		e = kh_task_close_all(op, context->id, "context_reset");
	if (e != KH_OK)
		return e;
	context->taint = KH_TAINT_LOW;
	context->exposed = 0;
	context->deliveries = 0;
	context->own = 0;
	context->escalations = 0;
	context->put = 0;
	context->last_text = 0;
	context->reset_block = context->last_block;
	/* Nothing is reserved when no task is open; if something were, the budget would still add up (I-6). */
	context->budget.charged = 0;
	context->budget.remaining = context->budget.budget - context->budget.reserved;
	context->budget = kh_limits_context(op, context).budget;
	context->resets++;
	context->reset_at = op->now;
	e = kh_giving_forget(op, context);
	if (e != KH_OK)
		return e;
	kh_op_describe(op, &what);
	kh_emit_add(&what, "reason", reset->reason);
	return kh_op_event(op, KH_AUDIT_CONTEXT_RESET, NULL, kh_op_described(op, &what));
}
