/*
 * Finds a row by the public id that a caller sent, and checks that the caller may see it.
 *
 * A row of another context counts as missing: an id that belongs to somebody else and one that nobody has give the same
 * answer, KH_EUNKNOWN with code `unknown_task` and so on.
 */
#ifndef KH_ENGINE_STATE_FIND_H
#define KH_ENGINE_STATE_FIND_H

#include "engine/state/op.h"

/* A controller gets those of its own context; host, reviewer and admin get any that they may see (find.c). */
enum kh_err kh_find_task(struct kh_op *op, struct kh_view id, struct kh_task_row **ret_task) KH_CHECKED;
enum kh_err kh_find_query(struct kh_op *op, struct kh_view id, struct kh_query_row **ret_query) KH_CHECKED;
enum kh_err kh_find_approval(struct kh_op *op, struct kh_view id, struct kh_approval_row **ret_approval) KH_CHECKED;
enum kh_err kh_find_context(struct kh_op *op, struct kh_view id, struct kh_context_row **ret_context) KH_CHECKED;
/*
 * The same answer for an id that belongs to somebody else, one that nobody has, and text that is not an id: KH_EUNKNOWN
 * with CODE.  E: what looking it up gave; another failure is returned as it is.
 */
enum kh_err kh_find_none(struct kh_op *op, struct kh_view id, const char *code, enum kh_err e);
/* A block of CONTEXT, read-only and without its content. */
enum kh_err kh_find_block(struct kh_op *op, int64_t context, struct kh_view id,
			  struct kh_block_row *ret_block) KH_CHECKED;

/*
 * The name of the Controller that CONTEXT belongs to: a policy's `agents` are matched with it, and Readers are told it.
 */
enum kh_err kh_find_agent(struct kh_op *op, int64_t context, struct kh_view *ret_name) KH_CHECKED;

/* KH_EREFUSED `task_closed` or `task_failed` if the task has ended. */
enum kh_err kh_find_open(struct kh_op *op, const struct kh_task_row *task) KH_CHECKED;

/* How many open tasks the calling Controller has, as far as 2; *RET_TASK is one of them, if there is one. */
enum kh_err kh_find_only_task(struct kh_op *op, struct kh_task_row **ret_task, size_t *ret_count) KH_CHECKED;

/* The open task that a Controller means: the one with this public id, or its only one if ID is empty (`task_needed`).
 */
enum kh_err kh_find_meant_task(struct kh_op *op, struct kh_view id, struct kh_task_row **ret_task) KH_CHECKED;

#endif
