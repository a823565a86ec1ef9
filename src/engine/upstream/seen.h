/*
 * upstream.seen (called by Keyhole itself): what an upstream server was found to offer, compared with what a human
 * approved (U4).
 *
 * A tool that is new, has changed or is gone is held, and stays held even if it changes back; a changed program holds the
 * whole server.  Nothing is recorded if nothing differs from what was seen last.
 */
#ifndef KH_ENGINE_UPSTREAM_SEEN_H
#define KH_ENGINE_UPSTREAM_SEEN_H

#include "engine/state/op.h"

struct kh_seen_tool {
	struct kh_view name; /* the server's own */
	struct kh_view text; /* canonical JSON of all that it says of the tool */
	struct kh_digest hash;
};

struct kh_upstream_seen {
	struct kh_view name;              /* of the server, in the configuration */
	struct kh_digest program;         /* of what is run, or of where it is called */
	struct kh_view about;             /* JSON: what the server says of itself */
	const struct kh_seen_tool *tools; /* by name in ascending order, each name once */
	size_t count;
	/* out */
	bool changed; /* something differs from what was seen last */
};
enum kh_err kh_upstream_seen_run(struct kh_op *op, void *call);

/* Not an operation: the row of the server NAME; NULL: it was never seen. */
enum kh_err kh_upstream_seen_find(struct kh_op *op, struct kh_view name, struct kh_upstream_row **ret_row) KH_CHECKED;

/* Not an operation: every tool of UPSTREAM that was ever seen, loaded. */
enum kh_err kh_upstream_seen_tools(struct kh_op *op, const struct kh_upstream_row *upstream,
				   struct kh_tool_row ***ret_tools, size_t *ret_count) KH_CHECKED;

#endif
