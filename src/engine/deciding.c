/* Decides calls, compares and records outputs, on the caller's thread. */
#include "engine/deciding.h"

#include "engine/comm/hostcall.h"
#include "engine/context/guarding.h"
#include "engine/engine.h"

#define TRIES 2   /* beside others of the context, before a call waits for its turn */
#define MANY  256 /* of an output */

/* The operation that decides CALL: the two have other callers. */
static kh_engine_fn *function_of(const struct kh_comm_call *call)
{
	return call->hosts ? kh_hostcall_run : kh_comm_call_run;
}

kh_engine_fn *kh_deciding_look(bool hosts)
{
	return hosts ? kh_hostcall_look_run : kh_comm_look_run;
}

enum kh_err kh_deciding_try(struct kh_engine *engine, struct kh_token_claim token, struct kh_comm_call *call,
			    struct kh_arena *arena, struct kh_error *err)
{
	call->tries = TRIES;
	return kh_engine_call(engine, token, function_of(call), call, arena, err);
}

enum kh_err kh_deciding_run(struct kh_engine *engine, struct kh_token_claim token, struct kh_comm_call *call,
			    struct kh_arena *arena, struct kh_error *err)
{
	call->tries = 0;
	return kh_engine_call(engine, token, function_of(call), call, arena, err);
}

enum kh_err kh_deciding_output(struct kh_engine *engine, struct kh_token_claim token, struct kh_context_output *output,
			       struct kh_arena *arena, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	output->again = true;
	for (unsigned i = 0; e == KH_OK && output->again; i++) {
		struct kh_guarding guarding = {
			.context = output->context, .more = output->more, .more_count = output->more_count};
		if (i == MANY)
			return kh_error_set(err, KH_ESTORE, "busy",
					    "the context changes faster than an output is compared");
		e = kh_engine_call(engine, token, kh_guarding_run, &guarding, arena, err);
		if (e == KH_OK)
			e = kh_guarding_compare(arena, &guarding, output->content, &output->unattributed,
						&output->copies, err);
		output->guarded = true;
		output->last_block = guarding.last_block;
		if (e == KH_OK)
			e = kh_engine_call(engine, token, kh_context_output_run, output, arena, err);
	}
	return e;
}
