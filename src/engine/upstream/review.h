/*
 * upstream.review: everything that an upstream server offers, as a human has to see it before he approves it (U4): what it
 * says of itself, and each tool as it is now, with what differs from what was approved.
 *
 * All of this is the server's own text.  It is for humans; whoever shows it escapes it.
 */
#ifndef KH_ENGINE_UPSTREAM_REVIEW_H
#define KH_ENGINE_UPSTREAM_REVIEW_H

#include "engine/upstream/seen.h"

struct kh_upstream_review {
	struct kh_view name;
	/* out */
	/*
	 * {"name", "state", "digest", "program", "pinned_program"?, "about", "seen_at", "approved_at"?,
	 *  "findings"?, "tools": [{"name", "state", "alias"?, "tool"?, "findings"?, "unfit"?, "pinned"?, "changes"?, "words"?}, ...]}
	 *
	 * DIGEST is what an approval names: it stands for all that is shown here.  TOOL is as the server offers it, and is
	 * missing if it no longer does; FINDINGS are the screen's, in its texts; UNFIT says why it cannot be approved (fit.h);
	 * PINNED is as it was approved, if that differs, and CHANGES how.
	 */
	struct kh_view json;
	/* internal: from the transaction to its rendering */
	struct kh_upstream_row *row;
	struct kh_tool_row **tools;
	size_t count;
};
/* KH_EUNKNOWN `unknown_upstream` if it was never seen. */
enum kh_err kh_upstream_review_run(struct kh_op *op, void *call);
enum kh_err kh_upstream_review_finish(struct kh_engine *engine, struct kh_arena *arena, void *call,
				      struct kh_error *err);

/* Not an operation: stands for all that a review of these rows shows. */
struct kh_digest kh_upstream_review_digest(const struct kh_upstream_row *row, struct kh_tool_row *const *tools,
					   size_t count);

#endif
