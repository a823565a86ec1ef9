/* comm.list: controller, host, reviewer, admin: the declarations of a task, in their order. */
#ifndef KH_ENGINE_COMM_LIST_H
#define KH_ENGINE_COMM_LIST_H

#include "engine/state/op.h"

#define KH_COMM_LIST 100 /* the default limit */

struct kh_comm_list {
	struct kh_view task;  /* public id */
	struct kh_view after; /* a declaration's public id, or empty */
	size_t limit;         /* 0: KH_COMM_LIST */
	struct kh_view json;  /* out: an array */
	struct kh_view next;  /* out: the AFTER for the rest; empty: there are no more */
};
enum kh_err kh_comm_list_run(struct kh_op *op, void *call);

#endif
