/*
 * approval.list (reviewer, admin; a supervisor gets tool calls): what waits for a decision, or all that ever did.  No
 * content and nobody's words, but the names of whoever decided: ids, kinds, states, times, pages.
 */
#ifndef KH_ENGINE_APPROVAL_LIST_H
#define KH_ENGINE_APPROVAL_LIST_H

#include "engine/approval/approval.h"

#define KH_APPROVAL_LIST_STEP 200 /* of one call */

struct kh_approval_list {
	bool all;             /* also those that no longer wait */
	struct kh_view after; /* the id to go on from; empty: from the first */
	/* out */
	struct kh_view json; /* array of {id, kind, state, task, query, operation, pages, digest, requested_at,
				expires_at, decided_at, decided_by, decided_from}, the oldest first */
	size_t count;
	struct kh_view next; /* to be given as AFTER for the rest; empty: that was all */
};
enum kh_err kh_approval_list_run(struct kh_op *op, void *call);

#endif
