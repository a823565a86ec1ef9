/*
 * An upstream's tool, or the server whose resource is read, as a human approved it, when it is called (U3-U5).  What the
 * server says now plays no part here: it is compared with this once more by whoever runs the server.
 *
 * A call is an OPERATION with PARAMETERS: comm.mcp.<server>.<tool> {its arguments}, or comm.resource {server, uri}.
 */
#ifndef KH_ENGINE_UPSTREAM_PINNED_H
#define KH_ENGINE_UPSTREAM_PINNED_H

#include "core/comm/errand.h"
#include "engine/state/beforehand.h"

/* Whether OPERATION goes to an upstream server: it is a tool, or reads a resource. */
bool kh_pinned_is(struct kh_view operation);

/*
 * Checks a call.  KH_EREFUSED `operation_unknown` if no such tool of a configured server was ever approved, and
 * `unknown_upstream` if a resource is to be read of such a server.  KH_EINPUT with the member if the parameters do not fit
 * the tool's schema that was approved.  If they refer to blocks (IS_FILLED is false) they are checked when the content is
 * put in: until then it is not known.
 */
enum kh_err kh_pinned_check(struct kh_op *op, struct kh_view operation, yyjson_val *parameters,
			    bool is_filled) KH_CHECKED;

/*
 * What a human has to approve if the call is held, as a name: the tool's operation, or comm.mcp.<server> of a server whose
 * resource is read.  The rows of it; *RET_TOOL is 0 of a server.  Both fail as kh_pinned_check() does.
 */
struct kh_view kh_pinned_subject(struct kh_op *op, struct kh_view operation, yyjson_val *parameters);
enum kh_err kh_pinned_rows(struct kh_op *op, struct kh_view subject, int64_t *ret_upstream,
			   int64_t *ret_tool) KH_CHECKED;

/* Whether a tool is held, by itself or with its server, or the server whose resource is read; no other call is. */
enum kh_err kh_pinned_is_held(struct kh_op *op, struct kh_view operation, yyjson_val *parameters,
			      bool *ret_yes) KH_CHECKED;

/* What whoever carries out a call for CONTEXT may run: *RET_TOOL lives as long as the operation's arena. */
enum kh_err kh_pinned_tool(struct kh_op *op, struct kh_view operation, yyjson_val *parameters, int64_t context,
			   const struct kh_errand_tool **ret_tool) KH_CHECKED;

#endif
