/*
 * Large content is in the store before the operation that seals it runs (store/content.h).  An operation that is about
 * to seal some wants it staged, when nothing can refuse the call any more: so nobody fills the disk by calls that are
 * refused, and nobody waits for the writing but the caller.
 */
#ifndef KH_ENGINE_STATE_STAGED_H
#define KH_ENGINE_STATE_STAGED_H

#include "engine/state/beforehand.h"

/* BYTES, which a sealed column will hold, are small or staged; or that is wanted. */
enum kh_err kh_staged_find(struct kh_op *op, struct kh_view bytes) KH_CHECKED;

/* For engine.c: the call has ended.  What no row names is removed.  KEPT: what it did last was committed. */
void kh_staged_end(struct kh_engine *engine, struct kh_beforehand *prepared, bool kept);

#endif
