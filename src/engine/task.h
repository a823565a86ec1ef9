/* Tasks: open, close, fail, and what is to be seen of one.  (B6, B19, E1) */
#ifndef KH_ENGINE_TASK_H
#define KH_ENGINE_TASK_H

#include "engine/engine.h"

/* task.open: controller. */
struct kh_task_open {
	struct kh_view title; /* for people, up to 200 bytes of visible UTF-8; may be empty */
	uint64_t bits;        /* a smaller budget than the policy's; 0: the policy's */
	struct kh_view id;    /* out */
	struct kh_task_row *row;
};
enum kh_err kh_task_open_run(struct kh_op *op, void *call);

/* task.close: controller (its own), host (of contexts it minted), admin.  Open queries fail, what they reserved is
 * charged; pending approvals are void. */
struct kh_task_close {
	struct kh_view task;
	struct kh_task_row *row; /* out */
};
enum kh_err kh_task_close_run(struct kh_op *op, void *call);

/* Not an operation: ends TASK as failed with a code (B19), its open queries with it. */
enum kh_err kh_task_fail(struct kh_op *op, struct kh_task_row *task, const char *code)
	__attribute__((warn_unused_result));

/* task.show: controller (its own), host, reviewer, admin. */
struct kh_task_show {
	struct kh_view task;
	struct kh_view
		json; /* out: id, title, state, phase, budget in bits and words, escalations, taint, blocks, ... */
};
enum kh_err kh_task_show_run(struct kh_op *op, void *call);

/* task.list: the caller's own tasks, or all for host (its contexts'), reviewer and admin. */
struct kh_task_list {
	bool all;            /* also those that have ended */
	struct kh_view json; /* out: array, as above but shorter */
};
enum kh_err kh_task_list_run(struct kh_op *op, void *call);

#endif
