/*
 * An upstream's tool as a human approved it, when it is called (U4, U5).  What the server says of it now plays no part
 * here: it is compared with this once more by whoever runs the server.
 */
#ifndef KH_ENGINE_UPSTREAM_PINNED_H
#define KH_ENGINE_UPSTREAM_PINNED_H

#include "core/comm/errand.h"
#include "engine/state/beforehand.h"

/* Whether OPERATION is the tool of an upstream server: comm.mcp.<server>.<tool>. */
bool kh_pinned_is_tool(struct kh_view operation);

/*
 * Checks a call of the tool OPERATION with ARGUMENTS.  KH_EREFUSED `operation_unknown` if no such tool of a configured
 * server was ever approved.  KH_EINPUT with the member if the arguments do not fit the schema that was approved.  If they
 * refer to blocks (IS_FILLED is false) they are checked when the content is put in: until then it is not known.
 */
enum kh_err kh_pinned_check(struct kh_op *op, struct kh_view operation, yyjson_val *arguments,
			    bool is_filled) KH_CHECKED;

/* The rows of the upstream server and of the tool that OPERATION names; fails as kh_pinned_check() does. */
enum kh_err kh_pinned_rows(struct kh_op *op, struct kh_view operation, int64_t *ret_upstream,
			   int64_t *ret_tool) KH_CHECKED;

/* Whether OPERATION is a tool that is held, by itself or with its server; any other operation is not. */
enum kh_err kh_pinned_is_held(struct kh_op *op, struct kh_view operation, bool *ret_yes) KH_CHECKED;

/* What whoever carries out a call for CONTEXT may run: *RET_TOOL lives as long as the operation's arena. */
enum kh_err kh_pinned_tool(struct kh_op *op, struct kh_view operation, int64_t context,
			   const struct kh_errand_tool **ret_tool) KH_CHECKED;

#endif
