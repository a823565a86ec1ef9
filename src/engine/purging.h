/*
 * Removes content past its retention (L5), a batch at a time.  Fingerprints of it are made on the caller's thread (K7),
 * because that may take long.  Not an operation: it runs content.purge as Keyhole itself.
 */
#ifndef KH_ENGINE_PURGING_H
#define KH_ENGINE_PURGING_H

#include "engine/state/engine.h"

/* *RET_COUNT: how many rows were emptied; 0: there are no more. */
enum kh_err kh_purging_batch(struct kh_engine *engine, struct kh_arena *arena, int64_t *ret_count,
			     struct kh_error *err) KH_CHECKED;

#endif
