/* content.put: content becomes a sealed block: untrusted data, taint high, with its attribution (E10, K1). */
#ifndef KH_ENGINE_CONTEXT_PUT_H
#define KH_ENGINE_CONTEXT_PUT_H

#include "engine/state/beforehand.h"

struct kh_put {
	struct kh_view task;
	struct kh_view source;     /* where it came from, in the giver's words; visible characters only */
	struct kh_view operation;  /* that brought it, if the giver says so: for the record; empty: not said */
	struct kh_tainted content; /* valid UTF-8 up to 16 MiB, else refused */
	/* filled in before the transaction: whether the operation is one */
	enum kh_err e;
	struct kh_error err;
	struct kh_view id; /* out: the block's public id */
};
enum kh_err kh_put_run(struct kh_op *op, void *call);
enum kh_err kh_put_prepare(struct kh_prepare *at, void *call);

/*
 * content.purge (called by Keyhole itself): removes the content of blocks and raw responses past their retention (L5).
 * The hash of what was removed stays, and of an untrusted block its fingerprints (K7).  Making these takes long, so it
 * is done between two calls: the first one gives the blocks out, the second one gets the fingerprints.  One batch:
 * again until COUNT is 0.  kh_purging_batch() does all of it.
 */
struct kh_purge_block {
	int64_t id;
	struct kh_view content;
	struct kh_view prints;
};
struct kh_purge {
	const struct kh_purge_block *prints; /* of the blocks that an earlier call gave out */
	size_t print_count;
	/* out */
	int64_t count; /* rows that were emptied, or whose fingerprints are wanted */
	struct kh_purge_block *wanted;
	size_t wanted_count;
};
enum kh_err kh_put_purge_run(struct kh_op *op, void *call);

/* Makes the fingerprints of the blocks that PURGE wants them of; outside of a transaction. */
enum kh_err kh_put_print(const struct kh_engine *engine, struct kh_arena *arena, struct kh_purge *purge) KH_CHECKED;

#endif
