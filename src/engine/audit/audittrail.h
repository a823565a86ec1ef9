/*
 * audit.read: reviewer, admin.  Pages of the record, as lines of JSON (eventline.h), read on a snapshot beside
 * everything else.  A page has a bound in events, in events looked at and in bytes, whatever the filter is: a reading
 * that found little says where to go on.
 */
#ifndef KH_ENGINE_AUDIT_AUDITTRAIL_H
#define KH_ENGINE_AUDIT_AUDITTRAIL_H

#include "engine/audit/eventfilter.h"
#include "engine/state/op.h"

#define KH_AUDITTRAIL_LIMIT 1000       /* events of a page */
#define KH_AUDITTRAIL_LOOKS 20000      /* events looked at for it */
#define KH_AUDITTRAIL_BYTES (4U << 20) /* after which a page ends; one event may pass it */

struct kh_audittrail {
	struct kh_eventfilter filter;
	int64_t after; /* events after this one; 0: from the first on */
	int64_t only;  /* this event alone, whatever the filter; 0: a page */
	size_t limit;  /* 1 to KH_AUDITTRAIL_LIMIT */
	/* out */
	struct kh_view lines; /* one event a line */
	size_t count;
	int64_t next; /* to be given as AFTER for the rest; 0: that was all there is now */
};

/* Checks what was asked for; that the caller may read the record is in the table of operations. */
enum kh_err kh_audittrail_run(struct kh_op *op, void *call);

/* Reads, after the transaction.  KH_EUNKNOWN `unknown_event` if there is no such event. */
enum kh_err kh_audittrail_finish(struct kh_engine *engine, struct kh_arena *arena, void *call, struct kh_error *err);

#endif
