/*
 * How an operation ends.  The result is sealed and recorded when it comes.  The outcome leaves at its slot (B17).  Only
 * then may the Controller know it, is it charged and, if content in a fence was asked for, does the context's taint
 * become high.
 */
#ifndef KH_ENGINE_COMM_END_H
#define KH_ENGINE_COMM_END_H

#include "core/comm/errand.h"
#include "engine/state/beforehand.h"

/*
 * comm.end (called by Keyhole itself): the result of a running operation.  If it is not running any more, the result is
 * not used.
 */
struct kh_comm_end_read {
	bool sealable;
	const char *reason; /* why it cannot be sealed */
	struct kh_view details;
	struct kh_digest original; /* of what it was made from */
};
struct kh_comm_end {
	int64_t declaration;
	struct kh_errand_result result;
	struct kh_comm_end_read read; /* filled in before the transaction */
};
enum kh_err kh_comm_end_run(struct kh_op *op, void *call);
enum kh_err kh_comm_end_prepare(struct kh_prepare *at, void *call);

/* Not operations.  Ends one whose process has died: if it ran, it is not known whether it took place. */
enum kh_err kh_comm_end_lost(struct kh_op *op, struct kh_declaration_row *row) KH_CHECKED;

/* Ends one of a host's own tools as ENDED, now: its result is BLOCK, of SIZE bytes, which the context has been given. */
enum kh_err kh_comm_end_hosts(struct kh_op *op, struct kh_declaration_row *row, enum kh_ended ended, int64_t block,
			      size_t size) KH_CHECKED;

/* Ends one that was never begun as ENDED, now. */
enum kh_err kh_comm_end_unbegun(struct kh_op *op, struct kh_declaration_row *row, enum kh_ended ended,
				const char *reason) KH_CHECKED;

/*
 * Releases ROW if it is ready and its time has come; ends it as expired if the approval that it waits for has expired,
 * and as unknown if it still runs after its last slot.
 */
enum kh_err kh_comm_end_due(struct kh_op *op, struct kh_declaration_row *row) KH_CHECKED;

/* B17: the slot at which what is known now may be told, of something that began at FROM and has WALL_MS. */
int64_t kh_comm_end_slot(const struct kh_op *op, int64_t from, uint64_t wall_ms);

/* The last slot of one that has begun. */
int64_t kh_comm_end_last(const struct kh_declaration_row *row);

/* The sealed block with what came back, or with what an upstream's tool said of its failure; 0: none. */
int64_t kh_comm_end_block(const struct kh_declaration_row *row);

/* When ROW has to be looked at again; 0: not by time, only when somebody acts. */
int64_t kh_comm_end_when(const struct kh_declaration_row *row);

/*
 * Ends every open declaration of a task that ends.  One that runs ends as unknown, and has its place in the pool until
 * its worker ends.
 */
enum kh_err kh_comm_end_task(struct kh_op *op, const struct kh_task_row *task, const char *reason) KH_CHECKED;

#endif
