/* One batch: what expired is given out, its fingerprints are made, and it is emptied. */
#include "engine/purging.h"

#include "engine/context/put.h"
#include "engine/engine.h"

enum kh_err kh_purging_batch(struct kh_engine *engine, struct kh_arena *arena, int64_t *ret_count, struct kh_error *err)
{
	struct kh_purge call = {0};
	enum kh_err e = kh_engine_own(engine, kh_put_purge_run, &call, arena, err);

	if (e == KH_OK)
		e = kh_content_sweep(kh_engine_store(engine), err);
	*ret_count = call.count;
	if (e != KH_OK || call.wanted_count == 0)
		return e;
	e = kh_put_print(engine, arena, &call);
	if (e != KH_OK)
		return kh_error_set(err, e, NULL, "no fingerprints could be made of content past its retention");
	struct kh_purge again = {.prints = call.wanted, .print_count = call.wanted_count};
	return kh_engine_own(engine, kh_put_purge_run, &again, arena, err);
}
