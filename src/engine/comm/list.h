/* comm.list: controller, host, reviewer, admin: the declarations of a task, in their order. */
#ifndef KH_ENGINE_COMM_LIST_H
#define KH_ENGINE_COMM_LIST_H

#include "engine/engine.h"

#define KH_ACT_LIST 100 /* at once, where it is not said */

struct kh_act_list {
	struct kh_view task;  /* public id */
	struct kh_view after; /* a declaration's public id, or empty */
	size_t limit;         /* 0: KH_ACT_LIST */
	struct kh_view json;  /* out: an array */
	bool more;
};
enum kh_err kh_act_list_run(struct kh_op *op, void *call);

#endif
