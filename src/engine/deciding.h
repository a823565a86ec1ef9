/*
 * Decisions that need a comparison, which may take long and is not made in a transaction.  A call wants it
 * (comm/weigh.h); an output is compared between two operations.  Not operations: these functions run operations for
 * TOKEN.
 */
#ifndef KH_ENGINE_DECIDING_H
#define KH_ENGINE_DECIDING_H

#include "engine/comm/call.h"
#include "engine/context/output.h"
#include "engine/context/token.h"

/*
 * comm.call.  call->next says what comes next.  kh_deciding_try() gives up soon:
 * if it is KH_CALL_AGAIN then, others of the same context are decided too, and the call has to wait for its turn
 * (gateway/turns.h).  kh_deciding_run() is for a call whose turn it is, or that is alone: never KH_CALL_AGAIN, but
 * KH_ESTORE `busy` if the context changes all the time.
 */
enum kh_err kh_deciding_try(struct kh_engine *engine, struct kh_token_claim token, struct kh_comm_call *call,
			    struct kh_arena *arena, struct kh_error *err) KH_CHECKED;
enum kh_err kh_deciding_run(struct kh_engine *engine, struct kh_token_claim token, struct kh_comm_call *call,
			    struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

/* The operation that looks at such a call; HOSTS: of a host's own tool. */
kh_engine_fn *kh_deciding_look(bool hosts);

/* context.guard and context.output: compares what an agent wrote with what it was given, and records it. */
enum kh_err kh_deciding_output(struct kh_engine *engine, struct kh_token_claim token, struct kh_context_output *output,
			       struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

#endif
