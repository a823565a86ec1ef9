/* upstream.list (struct kh_page): the upstream servers that were seen, with how many of their tools wait for a human. */
#ifndef KH_ENGINE_UPSTREAM_LIST_H
#define KH_ENGINE_UPSTREAM_LIST_H

#include "engine/upstream/seen.h"

/* [{"name", "state", "tools": {"approved": n, "held": n, "seen": n}, "seen_at", "approved_at"?}, ...] */
enum kh_err kh_upstream_list_run(struct kh_op *op, void *call);

#endif
