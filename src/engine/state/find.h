/*
 * What operations have in common: finding a row by the public id that a caller sent, and whether it is the caller's.
 *
 * A row of another context is not there: an id that belongs to somebody else and one that nobody has give the same
 * answer, KH_EUNKNOWN with code `unknown_task` and so on.
 */
#ifndef KH_ENGINE_STATE_FIND_H
#define KH_ENGINE_STATE_FIND_H

#include "core/block/block.h"
#include "engine/engine.h"
#include "engine/state/publicid.h"

struct kh_view kh_own_id(struct kh_op *op, enum kh_publicid kind, int64_t id);

/* A controller gets its own context's; host, reviewer and admin get any that they may see (find.c). */
enum kh_err kh_own_task(struct kh_op *op, struct kh_view id, struct kh_task_row **ret_task) KH_CHECKED;
enum kh_err kh_own_query(struct kh_op *op, struct kh_view id, struct kh_query_row **ret_query) KH_CHECKED;
enum kh_err kh_own_approval(struct kh_op *op, struct kh_view id, struct kh_approval_row **ret_approval) KH_CHECKED;
enum kh_err kh_own_context(struct kh_op *op, struct kh_view id, struct kh_context_row **ret_context) KH_CHECKED;
/* A block of CONTEXT, for reading and without its content. */
enum kh_err kh_own_block(struct kh_op *op, int64_t context, struct kh_view id,
			 struct kh_block_row *ret_block) KH_CHECKED;

/* Makes the block of SPEC, whose id and time are the operation's to give, and puts what it has come to into ROW. */
enum kh_err kh_own_make_block(struct kh_op *op, struct kh_block_spec *spec, struct kh_block_row *row) KH_CHECKED;

/* KH_EREFUSED `task_closed` or `task_failed` where the task takes nothing any more. */
enum kh_err kh_own_open(struct kh_op *op, const struct kh_task_row *task) KH_CHECKED;

/* A JSON array of numbers as ids, and back. */
enum kh_err kh_own_ids(struct kh_op *op, struct kh_view json, int64_t **ret_ids, size_t *ret_count) KH_CHECKED;
struct kh_view kh_own_ids_text(struct kh_op *op, const int64_t *ids, size_t count);

/* Records an event of the operation: `at` and `by` are its own.  WHAT: canonical JSON, or empty. */
enum kh_err kh_own_event(struct kh_op *op, enum kh_audit_kind kind, struct kh_task_row *task,
			 struct kh_view what) KH_CHECKED;

/*
 * Refuses the call and keeps a record of it: an operation that has changed nothing ends with
 * `return kh_own_refuse(op, kind, task, what, kh_error_set(op->err, KH_EREFUSED, ...))`.  The caller is told the error.
 */
enum kh_err kh_own_refuse(struct kh_op *op, enum kh_audit_kind kind, struct kh_task_row *task, struct kh_view what,
			  enum kh_err why) KH_CHECKED;

#endif
