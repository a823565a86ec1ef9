/*
 * Calls of a tool that is held (U4).  They wait for the tool's one approval; that they do is told at their slot, like any
 * outcome, and once a human has decided they are judged anew: by the gates, and against what he has approved.
 */
#ifndef KH_ENGINE_COMM_STANDBY_H
#define KH_ENGINE_COMM_STANDBY_H

#include "engine/approval/follow.h"
#include "engine/comm/govern.h"

/* The call of ROW, which all gates have passed, waits.  Nothing is sent. */
enum kh_err kh_standby_wait(struct kh_op *op, struct kh_govern *govern, struct kh_declaration_row *row) KH_CHECKED;

/*
 * The call of ROW, which runs, was not sent, because its tool was just found to have changed: it waits like those that come
 * after it, and what it would have sent stays counted.  False in *RET_WAITS: the tool is not held, and nothing happens.
 */
enum kh_err kh_standby_return(struct kh_op *op, struct kh_task_row *task, struct kh_declaration_row *row,
			      bool *ret_waits) KH_CHECKED;

/* Whether ROW waits for such an approval. */
bool kh_standby_is(const struct kh_declaration_row *row);

extern const struct kh_approval_follow kh_standby_follow;

#endif
