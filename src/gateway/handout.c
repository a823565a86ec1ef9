/* Asks that fail before a Reader has seen them. */
#include "gateway/handout.h"

#include "engine/query/respond.h"

#define MEMORY ((size_t)1 << 30) /* bytes for ending an ask */

enum kh_err kh_handout_fail(struct kh_gateway *gateway, const struct kh_ask *ask, enum kh_err why, struct kh_error *err)
{
	struct kh_engine *engine = kh_gateway_engine(gateway);
	struct kh_respond failed = {
		.effect = ask->effect,
		.fault = why == KH_ECHANGED ? KH_READER_CHANGED : KH_READER_DEAD,
		.detail = why == KH_ECHANGED ? KH_LIT("a sealed block is not what was sealed")
					     : KH_LIT("no memory for what the Reader is to get"),
	};
	struct kh_arena arena; /* of its own, because the caller's may be full */

	kh_arena_init(&arena, kh_engine_alloc(engine), MEMORY);
	enum kh_err e = kh_engine_own(engine, kh_respond_run, &failed, &arena, err);
	kh_arena_done(&arena);
	return e;
}
