/*
 * upstream.approve (admin): a human agrees to what a review showed (U4).  From then on the tools that he chose are
 * callable, exactly as they were shown; whatever differs later is held.
 */
#ifndef KH_ENGINE_UPSTREAM_APPROVE_H
#define KH_ENGINE_UPSTREAM_APPROVE_H

#include "engine/upstream/review.h"

#define KH_APPROVE_WORDS 4096 /* bytes of a reviewer's own description */

struct kh_upstream_approve {
	struct kh_view name;
	struct kh_view digest; /* of the review, hexadecimal */
	yyjson_val *tools;     /* an array of the server's names of tools; NULL: all that it offers */
	yyjson_val *words;     /* an object: a tool's name, and the description in place of the server's; NULL: none */
	/* out */
	size_t approved; /* tools */
	size_t unfit;    /* tools of those that were chosen by TOOLS being NULL that cannot be approved (fit.h) */
};

/*
 * KH_EUNKNOWN `unknown_upstream`.  KH_ECHANGED `review_changed` if what there is to approve is not what the digest stands
 * for.  KH_EINPUT if TOOLS or WORDS name a tool that is not offered, or TOOLS one that cannot be approved (`tool_unfit`);
 * without TOOLS such a tool stays as it is.  A tool that was approved, is no longer offered, and is approved again as it
 * is now, or with all others, is let go.
 */
enum kh_err kh_upstream_approve_run(struct kh_op *op, void *call);

#endif
