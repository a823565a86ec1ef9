/* Tasks: open, close, fail, and list.  (B6, B19, E1) */
#ifndef KH_ENGINE_TASK_TASK_H
#define KH_ENGINE_TASK_TASK_H

#include "engine/state/op.h"

#define KH_TASK_LIST 1000 /* tasks in one list */

/* task.open: controller. */
struct kh_task_open {
	struct kh_view title; /* for people, up to 200 bytes of visible UTF-8; may be empty */
	uint64_t bits;        /* the budget, at most the policy's; 0: the policy's */
	struct kh_view id;    /* out */
	struct kh_task_row *row;
	struct kh_view *readers; /* the names of those that can be asked */
	size_t reader_count;
};
enum kh_err kh_task_open_run(struct kh_op *op, void *call);

/*
 * task.close: controller (its own), host (of contexts whose tokens it made), admin.  Open queries fail, and what they
 * reserved is charged; pending approvals become void.
 */
struct kh_task_close {
	struct kh_view task;
	struct kh_task_row *row; /* out */
};
enum kh_err kh_task_close_run(struct kh_op *op, void *call);

/* Not operations.  Opens the task of a host's own calls (hosttask.h), or closes it because its bits are spent. */
enum kh_err kh_task_open_hosts(struct kh_op *op, int64_t context, struct kh_task_row **ret_task) KH_CHECKED;
enum kh_err kh_task_end_spent(struct kh_op *op, struct kh_task_row *task) KH_CHECKED;

/* Closes every open task of a context; REASON, a code, is recorded. */
enum kh_err kh_task_close_all(struct kh_op *op, int64_t context, const char *reason) KH_CHECKED;

/* Ends TASK as failed with a code (B19), and its open queries with it. */
enum kh_err kh_task_fail(struct kh_op *op, struct kh_task_row *task, const char *code) KH_CHECKED;

/* task.list (struct kh_page): the caller's own tasks, or all for host (its contexts'), reviewer and admin; like
 * task.show, but shorter. */
enum kh_err kh_task_list_run(struct kh_op *op, void *call);

#endif
