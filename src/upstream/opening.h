/*
 * The opening of a message that a worker wrote anew (worker/mcp/rewrite.h): what the message is and whom it is for.  The
 * rest may be megabytes, and is read by the thread that waits for it.
 *
 * The worker reads what a hostile server sends, so it is not trusted either: a line that is not in its form is refused.
 */
#ifndef KH_UPSTREAM_OPENING_H
#define KH_UPSTREAM_OPENING_H

#include "rpc/rpc.h"

struct kh_opening {
	enum kh_rpc_kind kind;
	struct kh_view id;     /* as JSON; empty: a notification, or an error that has no id */
	struct kh_view method; /* of a request or notification, with its escapes; no method that we know has one */
	struct kh_view params; /* of both, as JSON; empty: none.  It may be anything, and is not read here */
};

/* False if LINE, without its newline, is in another form.  Borrows from LINE. */
bool kh_opening_read(struct kh_view line, struct kh_opening *ret_opening);

#endif
