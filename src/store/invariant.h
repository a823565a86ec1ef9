/*
 * The rules that hold whatever the events say (docs/reference/INVARIANTS.md).  They are recomputed from the events, one
 * event at a time, with none of the code that the engine uses to obey them.
 *
 *   budgets    budget = remaining + reserved + charged; what is reserved and charged is the sum over the queries; so
 *              are the totals by category of task, context and Reader; a query that ends is charged what was reserved,
 *              a delivery is charged that or more (B6, B7); escalations of task and context are counted (B19)
 *   taint      a context's taint is the highest of what it was given since its reset; a delivery's is one step below
 *              its Reader's (B23, K5)
 *   approvals  their states follow A3; whoever decided had the right to; no grant is used more often than it allows
 *              (A2, A6)
 *   deliveries one for each query, recorded by the event that it names (L2)
 *   operations begun once, by their own event; a result came from an operation that was begun (E4, E7, E10); what a
 *              task sent out is the sum over its operations (E5)
 *   content    a block's hash is that of its content until the content is purged, and nothing else of it changes
 *              (K1, L5)
 */
#ifndef KH_STORE_INVARIANT_H
#define KH_STORE_INVARIANT_H

#include "store/fold.h"

/* A row that an event wrote. */
struct kh_invariant_change {
	enum kh_table table;
	const void *was; /* all zero except the id if the row is new */
	const void *row;
	bool fresh;
};

struct kh_invariant_event {
	const struct kh_audit_entry *entry;
	enum kh_audit_kind kind;
	const struct kh_invariant_change *changes;
	size_t count;
};

/*
 * What is broken, as a sentence without its subject ("is charged less than ..."), and the row that it is about; NULL if
 * nothing is.  Updates the sums of FOLD.
 */
const char *kh_invariant_broken(struct kh_fold *fold, const struct kh_invariant_event *event,
				const struct kh_invariant_change **ret_change);

#endif
