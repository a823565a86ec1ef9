/*
 * The models that are asked about a call before a human is (K7): tier 2, `verification.triage`, then tier 3,
 * `verification.supervisor`.
 *
 * A model behind a network is sent what the Controller wrote: the call's parameters, its reason, title and plan.  These
 * bytes count against `reader_egress` of the task (E5), once for each such model, when the first model is asked.  If
 * the budget does not hold them, no model behind a network is asked: it counts as having passed the call on.
 */
#ifndef KH_ENGINE_COMM_TIERS_H
#define KH_ENGINE_COMM_TIERS_H

#include "engine/state/op.h"

#define KH_TIERS_NONE 2

/* The first tier, from 0, whose model has not spoken about ROW yet; KH_TIERS_NONE: all have. */
size_t kh_tiers_next(const struct kh_engine *engine, const struct kh_declaration_row *row);

/* What models behind a network would be sent about ROW, in bytes, before any was asked.  More than the task's budget
 * holds: 0, and in ROW they have passed it on. */
enum kh_err kh_tiers_afford(struct kh_op *op, const struct kh_task_row *task, struct kh_declaration_row *row,
			    int64_t *ret_bytes) KH_CHECKED;

#endif
