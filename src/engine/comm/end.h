/*
 * How an operation ends.  What came back is sealed and recorded when it comes; the outcome leaves at its slot (B17),
 * and only then is the Controller's to know, charged, and, where it was asked for in a fence, the context's taint high.
 */
#ifndef KH_ENGINE_COMM_END_H
#define KH_ENGINE_COMM_END_H

#include "core/comm/errand.h"
#include "engine/state/op.h"

/* comm.end (Keyhole's own): what came of a running one.  Where it is not running any more, nothing of it is used. */
struct kh_comm_end {
	int64_t declaration;
	struct kh_errand_result result;
};
enum kh_err kh_comm_end_run(struct kh_op *op, void *call);

/* Not operations.  One whose process has died: where it ran, it is not known whether it took place. */
enum kh_err kh_comm_end_lost(struct kh_op *op, struct kh_declaration_row *row) KH_CHECKED;

/* One that was never begun ends as ENDED, now. */
enum kh_err kh_comm_end_unbegun(struct kh_op *op, struct kh_declaration_row *row, enum kh_ended ended,
				const char *reason) KH_CHECKED;

/* Releases ROW where it is ready and its time has come; ends it as expired where what it waits for has. */
enum kh_err kh_comm_end_due(struct kh_op *op, struct kh_declaration_row *row) KH_CHECKED;

/* When ROW has to be looked at again; 0: when somebody acts. */
int64_t kh_comm_end_when(const struct kh_declaration_row *row);

/* Ends every open declaration of a task that ends; what runs is unknown, and counts as running until its worker ends.
 */
enum kh_err kh_comm_end_task(struct kh_op *op, const struct kh_task_row *task, const char *reason) KH_CHECKED;

#endif
