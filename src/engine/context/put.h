/* content.put: content becomes a sealed block: untrusted data, taint high, with its attribution (E10, K1). */
#ifndef KH_ENGINE_CONTEXT_PUT_H
#define KH_ENGINE_CONTEXT_PUT_H

#include "engine/state/op.h"

struct kh_put {
	struct kh_view task;
	struct kh_view source;     /* where it came from; visible characters only */
	struct kh_view operation;  /* of the attribution; empty: comm.read */
	struct kh_tainted content; /* valid UTF-8 up to 16 MiB, else refused */
	struct kh_view id;         /* out: the block's public id */
};
enum kh_err kh_put_run(struct kh_op *op, void *call);

/*
 * content.purge (called by Keyhole itself): removes the content of blocks and raw responses past their retention (L5).
 * The hash of what was removed stays.  One batch: call it again until COUNT is 0.
 */
struct kh_purge {
	int64_t count; /* out */
};
enum kh_err kh_put_purge_run(struct kh_op *op, void *call);

#endif
