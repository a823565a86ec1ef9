/*
 * Decisions that need a comparison.  A comparison may take long, so it is not made in a transaction.  One operation
 * loads what is compared, the caller's thread compares, and another operation decides; if the context has changed
 * meanwhile, this is repeated.  Not operations: these functions run operations for TOKEN.
 */
#ifndef KH_ENGINE_DECIDING_H
#define KH_ENGINE_DECIDING_H

#include "engine/comm/call.h"
#include "engine/context/output.h"
#include "engine/context/token.h"

/* comm.weigh and comm.call; fills call->weighed in.  call->next says what comes next; it is never KH_CALL_AGAIN. */
enum kh_err kh_deciding_run(struct kh_engine *engine, struct kh_token_claim token, struct kh_comm_call *call,
			    struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

/* context.guard and context.output: compares what an agent wrote with what it was given, and records it. */
enum kh_err kh_deciding_output(struct kh_engine *engine, struct kh_token_claim token, struct kh_context_output *output,
			       struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

#endif
