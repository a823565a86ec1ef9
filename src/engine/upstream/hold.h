/*
 * The one approval of a tool that is held (U4): a human sees what differs from what was approved, and decides.  It
 * belongs to no task, because calls of every context wait for it.  A server that is held has one of its own, which the
 * reading of its resources waits for (U3).
 */
#ifndef KH_ENGINE_UPSTREAM_HOLD_H
#define KH_ENGINE_UPSTREAM_HOLD_H

#include "engine/state/op.h"

/* The approval that calls wait for, of SUBJECT (kh_pinned_subject), which is held: the one that there is, or a new one. */
enum kh_err kh_hold_ask(struct kh_op *op, struct kh_view subject, struct kh_approval_row **ret_approval) KH_CHECKED;

/*
 * Pins the tool that APPROVAL is about, if it is about one, and its server's program, as they were shown.  KH_EREFUSED
 * `review_changed` if they are not what was shown any more; the check also with `tool_unfit` if it cannot be approved
 * (fit.h).
 */
enum kh_err kh_hold_check(struct kh_op *op, const struct kh_approval_row *approval) KH_CHECKED;
enum kh_err kh_hold_pin(struct kh_op *op, const struct kh_approval_row *approval) KH_CHECKED;

/*
 * If an approval of TOOL, or of UPSTREAM if TOOL is NULL, is pending and has no meaning any more, because a human approved
 * it in another way or it has changed once more, it ends.  What waits for it goes on, and finds the tool or server as it
 * is then.
 */
enum kh_err kh_hold_end(struct kh_op *op, const struct kh_upstream_row *upstream,
			const struct kh_tool_row *tool) KH_CHECKED;

#endif
