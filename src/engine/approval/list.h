/*
 * approval.list (reviewer, admin; a supervisor gets tool calls): the approvals that wait for a decision, or all there
 * ever were.  It has ids, kinds, states, times, pages and the names of those who decided; no content and no text that
 * anybody wrote.
 */
#ifndef KH_ENGINE_APPROVAL_LIST_H
#define KH_ENGINE_APPROVAL_LIST_H

#include "engine/approval/approval.h"

#define KH_APPROVAL_LIST_STEP 200 /* entries in one call */

struct kh_approval_list {
	bool all;             /* also those that no longer wait */
	struct kh_view after; /* the id to continue after; empty: from the first */
	/* out */
	struct kh_view json; /* array of {id, kind, state, task, query, operation, pages, digest, requested_at,
				expires_at, decided_at, decided_by, decided_from}, the oldest first */
	size_t count;
	struct kh_view next; /* the AFTER for the rest; empty: there are no more */
};
enum kh_err kh_approval_list_run(struct kh_op *op, void *call);

#endif
