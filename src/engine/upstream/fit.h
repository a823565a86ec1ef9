/*
 * Whether a tool of an upstream server can be offered at all (U5): its input schema must be one that every call can be
 * checked against, and Keyhole's own member must find room beside its parameters.  A tool that is not fit cannot be
 * approved: the review says why.
 */
#ifndef KH_ENGINE_UPSTREAM_FIT_H
#define KH_ENGINE_UPSTREAM_FIT_H

#include "engine/state/op.h"

#define KH_FIT_MEMBER "keyhole" /* what a call has beside the tool's own parameters */

/*
 * *RET_WHY: a sentence of ours why the tool of TEXT, which is all that a server says of it, is not fit; empty: it is.
 * Takes as long as the schema makes it, so never on the store's thread.
 */
enum kh_err kh_fit_tool(const struct kh_alloc *alloc, struct kh_arena *arena, struct kh_view text,
			struct kh_view *ret_why) KH_CHECKED;

/*
 * *RET_WHY: why results of TOOL, which is all that a server says of it, have no types by its output schema (U7); empty:
 * they have, or it has no such schema.  The tool can be approved all the same: its results are sealed.
 */
enum kh_err kh_fit_results(const struct kh_alloc *alloc, struct kh_arena *arena, yyjson_val *tool,
			   struct kh_view *ret_why) KH_CHECKED;

/*
 * kh_fit_tool() for the tools of a server as they are offered now, in an operation, which may have to run again for it
 * (state/beforehand.h).  DIGEST is that of their review.  *RET_WHYS has a sentence for each, in their order.
 */
enum kh_err kh_fit_find(struct kh_op *op, const struct kh_digest *digest, struct kh_tool_row *const *tools,
			size_t count, const struct kh_view **ret_whys) KH_CHECKED;

#endif
