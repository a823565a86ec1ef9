/*
 * How refused calls get into the record: the first of each kind at once, repetitions as a count (L1, L2).
 *
 * A caller can have itself refused as fast as it can call.  A record each would let it fill the disk and hide in the
 * noise.  So within a period a refusal is recorded at once, before its caller is told, if nothing like it has been
 * recorded: the same caller, kind of event, task and description.  A caller with many different ones has
 * KH_REFUSALS_EXACT of them in full, and from then on one for each operation and code.  All others are counted, and the
 * counts are one event at the end of the period and when the engine stops.  A crash loses the counts of the period that
 * was open, and nothing else.  Used by the store's thread only.
 */
#ifndef KH_ENGINE_STATE_REFUSALS_H
#define KH_ENGINE_STATE_REFUSALS_H

#include "base/canonical.h"
#include "store/audit.h"

#include <stdatomic.h>

#define KH_REFUSALS_PERIOD INT64_C(60000000) /* microseconds */
#define KH_REFUSALS_EXACT  32                /* of one caller in a period */
#define KH_REFUSALS_MOST   128               /* kinds in a period; more are recorded one by one */
#define KH_REFUSALS_WORD   64                /* bytes of a code or an operation, with its NUL */

struct kh_refusals_entry {
	struct kh_digest key;
	enum kh_audit_kind kind;
	int64_t by, task; /* rows; 0: a caller without a valid token; no task */
	bool exact;
	char code[KH_REFUSALS_WORD], operation[KH_REFUSALS_WORD];
	uint64_t count; /* after the first, which was recorded */
	int64_t last;
};

struct kh_refusals {
	struct kh_refusals_entry at[KH_REFUSALS_MOST];
	size_t n;
	int64_t began;
	uint64_t counted;
	atomic_bool unsure; /* any thread: an operation failed that had recorded a refusal, so it may not be durable */
};

struct kh_op;
struct kh_task_row;

/*
 * Records a refusal, or counts it.  If the operation has changed a row that no event has recorded yet, it is recorded.
 */
enum kh_err kh_refusals_add(struct kh_op *op, enum kh_audit_kind kind, struct kh_task_row *task,
			    struct kh_view what) KH_CHECKED;

/* Records the counts.  NOW_ALL: even if the period is not over. */
enum kh_err kh_refusals_write(struct kh_op *op, bool now_all) KH_CHECKED;

/* The run is going to be run again: forgets what it noted. */
void kh_refusals_undo(struct kh_op *op);

#endif
