/*
 * Decisions that need a comparison which may take long, and so is not made in a transaction: what is compared with is
 * loaded by one operation, compared on the caller's thread, and decided by another operation, as often as the context
 * changes meanwhile.  Not operations: these run operations for TOKEN.
 */
#ifndef KH_ENGINE_DECIDING_H
#define KH_ENGINE_DECIDING_H

#include "engine/comm/call.h"
#include "engine/context/output.h"

/* comm.weigh and comm.call; call->weighed is filled in here.  What comes next is in call->next, and KH_CALL_AGAIN does
 * not come out. */
enum kh_err kh_deciding_run(struct kh_engine *engine, struct kh_view token, struct kh_comm_call *call,
			    struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

/* context.guard and context.output: compares what an agent wrote with what it was given, and records it. */
enum kh_err kh_deciding_output(struct kh_engine *engine, struct kh_view token, struct kh_context_output *output,
			       struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

#endif
