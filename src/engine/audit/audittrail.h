/*
 * audit.read: reviewer, admin.  Pages of the record, as lines of JSON (eventline.h), read on a snapshot concurrently
 * with everything else.  A page is bounded in events, in events examined and in bytes, whatever the filter is.  If the
 * bound is reached first, `next` says where to continue.
 */
#ifndef KH_ENGINE_AUDIT_AUDITTRAIL_H
#define KH_ENGINE_AUDIT_AUDITTRAIL_H

#include "engine/audit/eventfilter.h"
#include "engine/state/op.h"

#define KH_AUDITTRAIL_LIMIT 1000       /* events in a page */
#define KH_AUDITTRAIL_LAST  100000     /* events before the end that a reader may begin at */
#define KH_AUDITTRAIL_LOOKS 20000      /* events examined for a page */
#define KH_AUDITTRAIL_BYTES (4U << 20) /* a page ends after this many bytes; one event may exceed it */

struct kh_audittrail {
	struct kh_eventfilter filter;
	struct kh_view after; /* events after this one, by its public id; empty: from the first */
	struct kh_view only;  /* only this event, whatever the filter; empty: a page */
	size_t last;          /* without AFTER: begin with the last so many events; 0: with the first */
	size_t limit;         /* 1 to KH_AUDITTRAIL_LIMIT */
	/* out */
	struct kh_view lines; /* one event in each line */
	size_t count;
	struct kh_view next; /* the AFTER for the rest; empty: there are no more now */
	int64_t number;      /* used inside: the row of AFTER or ONLY */
};

/*
 * Checks the arguments: KH_EINPUT `bad_value` if AFTER is not the id of an event, KH_EUNKNOWN `unknown_event` if ONLY is
 * not.  The table of operations says who may read the record.
 */
enum kh_err kh_audittrail_run(struct kh_op *op, void *call);

/* Reads, after the transaction. */
enum kh_err kh_audittrail_finish(struct kh_engine *engine, struct kh_arena *arena, void *call, struct kh_error *err);

#endif
