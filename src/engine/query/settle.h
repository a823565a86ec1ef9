/*
 * How a query ends.  An outcome is decided (ready), leaves at its slot (released), and only then is settled: charged,
 * made a delivery block, counted in the context's taint, and visible to the Controller (B6, B7, B16-B18, B23).
 */
#ifndef KH_ENGINE_QUERY_SETTLE_H
#define KH_ENGINE_QUERY_SETTLE_H

#include "engine/state/op.h"

/*
 * Decides QUERY's outcome, with a reason for humans.  DELIVERED: query->held is the normalised response.  It is
 * released at once if the policy says `release: immediate`, otherwise at its slot.
 */
enum kh_err kh_settle_ready(struct kh_op *op, struct kh_query_row *query, enum kh_outcome outcome,
			    const char *reason) KH_CHECKED;

/*
 * The same for a response that was accepted unchanged: one event records how it was judged (WHAT) and the consequence.
 */
enum kh_err kh_settle_accepted(struct kh_op *op, struct kh_query_row *query, struct kh_view what) KH_CHECKED;

/* The slot at which what is known about QUERY now may be told (B17); and the same for anything that began at FROM. */
int64_t kh_settle_slot(const struct kh_op *op, const struct kh_query_row *query);
int64_t kh_settle_slot_of(const struct kh_policy *policy, int64_t from, int64_t now, uint64_t most_ms);

/* The slot at which a call that came in at CAME, and was compared with content, may be told as taken. */
int64_t kh_settle_slot_of_taken(const struct kh_policy *policy, int64_t came, int64_t now);

/*
 * Ends QUERY now, without a slot: for what the Controller did itself (closing its task) or what happened to the task.
 */
enum kh_err kh_settle_end(struct kh_op *op, struct kh_query_row *query, enum kh_outcome outcome,
			  const char *reason) KH_CHECKED;

/* Releases QUERY if it is ready and its time has come; expires it if its deadline has passed.  Changes nothing else. */
enum kh_err kh_settle_due(struct kh_op *op, struct kh_query_row *query) KH_CHECKED;

#endif
