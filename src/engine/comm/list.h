/* comm.list: controller, host, reviewer, admin: the declarations of a task, in their order. */
#ifndef KH_ENGINE_COMM_LIST_H
#define KH_ENGINE_COMM_LIST_H

#include "engine/state/op.h"

#define KH_COMM_LIST 100 /* the default limit */

/* A struct kh_page with its task. */
enum kh_err kh_comm_list_run(struct kh_op *op, void *call);

#endif
