/*
 * A call from weighing to its beginning, and what has begun carried out.  Not operations: these run operations, one
 * after the other, on the caller's thread.
 */
#ifndef KH_ENGINE_DECIDING_H
#define KH_ENGINE_DECIDING_H

#include "engine/comm/call.h"
#include "engine/context/output.h"

/*
 * Weighs and decides for TOKEN (call->weighed is filled in here), as often as the context changes meanwhile, and asks
 * the models that are to verify it, for as long as they take.  What comes next is in call->next; KH_CALL_AGAIN does not
 * come out.
 */
enum kh_err kh_deciding_call(struct kh_engine *engine, struct kh_view token, struct kh_comm_call *call,
			     struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

/* The same, without asking a model: KH_CALL_TRIAGE may come out. */
enum kh_err kh_deciding_run(struct kh_engine *engine, struct kh_view token, struct kh_comm_call *call,
			    struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

/* Compares what an agent wrote with what it was given (context.guard), and records it (context.output), for TOKEN. */
enum kh_err kh_deciding_output(struct kh_engine *engine, struct kh_view token, struct kh_context_output *output,
			       struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

/* Carries out what kh_deciding_call() or kh_comm_call_run() said KH_CALL_RUNS of, and records what came of it.  Takes as long
 * as the errand does. */
enum kh_err kh_outbox_errand(struct kh_engine *engine, const struct kh_comm_call *call, struct kh_arena *arena,
			     struct kh_error *err) KH_CHECKED;

#endif
