/*
 * Calls of tools that a host's agent has of its own (K11).  A host or a hook asks before the agent calls one; Keyhole
 * decides by the same gates as for its own operations, and never runs the tool.
 *
 * Such a call is a declaration like any other, in a task of its context that holds nothing else (row->hosts; only
 * engine/task/hosttask.h opens it, and a Controller cannot find it).  Its states:
 *
 *     asked, declared     as for any other: somebody decides, or has decided
 *     running             all gates have passed.  Until somebody was told so, once (host.take, `taken_at`), it ends as
 *                         unknown if this process dies; from then on the host runs the tool, whatever happens here
 *     done                its result was told (host.result), or its time is over: unknown
 */
#ifndef KH_ENGINE_COMM_HOSTCALL_H
#define KH_ENGINE_COMM_HOSTCALL_H

#include "engine/comm/call.h"
#include "engine/comm/propose.h"

#define KH_HOSTCALL_ARGUMENTS (48U << 10) /* bytes of a call's arguments */

/* host.call: host, hook: comm.call with `hosts`; `declare` is {"tool", "arguments", "reason"}. */
enum kh_err kh_hostcall_run(struct kh_op *op, void *call);

/* host.look: host, hook: comm.look of such a call. */
enum kh_err kh_hostcall_look_run(struct kh_op *op, void *call);

/*
 * host.take: host, hook: the one time that a caller is told `allow`.  KH_EREFUSED `not_allowed` if the gates have not let
 * it through; `already_told` if somebody was told before.
 */
struct kh_hostcall_take {
	struct kh_view call; /* public id */
};
enum kh_err kh_hostcall_take_run(struct kh_op *op, void *call);

/*
 * host.result: host, hook: what came of a call that was allowed.  It becomes a block of the context, as context.add of a
 * tool_result makes it.  KH_EREFUSED `not_running` if it was not allowed, or has ended.
 */
struct kh_hostcall_result {
	struct kh_view context, call; /* public ids */
	struct kh_view content;
	bool failed;          /* the tool says that it failed */
	struct kh_view block; /* out */
};
enum kh_err kh_hostcall_result_run(struct kh_op *op, void *call);
enum kh_err kh_hostcall_result_prepare(struct kh_prepare *at, void *call);

/* Not an operation: the proposal of a new call in TASK.  KH_EINPUT or KH_ELIMIT if it is not one. */
enum kh_err kh_hostcall_propose(struct kh_op *op, const struct kh_task_row *task, yyjson_val *asked,
				struct kh_proposal *ret_proposal) KH_CHECKED;

#endif
