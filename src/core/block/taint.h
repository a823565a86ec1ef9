/*
 * Taint: what influenced a block (K5), and the one step by which taint falls (B23).
 *
 * There is one walk over tainted_by.  It gets the blocks from a look-up function, so that it works on the rows of a
 * store as well as on a set of blocks: the engine and the offline contract both use it.
 */
#ifndef KH_CORE_BLOCK_TAINT_H
#define KH_CORE_BLOCK_TAINT_H

#include "core/block/blocks.h"

/*
 * The taint after BCP's constraints and validation have lowered the Reader's taint: high to medium, medium to low, low
 * to low.  Only kh_block_delivery() uses the result for a block; every other constructor can only raise taint.
 */
enum kh_taint kh_taint_step_down(enum kh_taint taint);

/* What the walk needs to know of a block.  The list is borrowed until the walk is over. */
struct kh_taint_block {
	const int64_t *tainted_by; /* ids */
	size_t tainted_by_count;
	enum kh_trust trust;
	enum kh_taint taint;
	int kind; /* a value of the caller's own, which the closure returns */
};

/* The source of the blocks for the walk.  Ids are numbers from 0 to 2^62 - 1. */
struct kh_taint_books {
	void *ctx;
	/* Gives the block ID.  It is called once for each block that the walk reaches, and for no other.  An id that it
	 * does not know is an error (K5).  Its error ends the walk. */
	enum kh_err (*look)(void *ctx, int64_t id, struct kh_taint_block *ret_block, struct kh_error *err);
	/* The name of block ID for messages; safe to show. */
	struct kh_view (*name)(void *ctx, int64_t id);
};

struct kh_closure_block {
	int64_t id;
	enum kh_trust trust;
	enum kh_taint taint;
	int kind;
};

struct kh_closure {
	struct kh_closure_block *at; /* by id, ascending, each once */
	size_t n;
	enum kh_taint taint; /* the highest in it; low if it is empty */
	bool flagged;        /* it has an untrusted block, so what it influenced is verified (K6) */
};

/*
 * The COUNT blocks IDS and everything that influenced them, over any number of steps.  Time and memory are linear in
 * the reached blocks, except for sorting them.  `cycle` (KH_EREFUSED) if a block that is reached influenced itself.
 */
enum kh_err kh_taint_walk(const struct kh_taint_books *books, struct kh_arena *arena, const int64_t *ids, size_t count,
			  struct kh_closure *ret_closure, struct kh_error *err) KH_CHECKED;

/*
 * Everything that influenced block OF of SET, without OF itself; ids are indices into the set.  `unknown_id`
 * (KH_EUNKNOWN) if an id that is reached, or OF, is not in the set; `cycle` as above.
 */
enum kh_err kh_taint_closure(const struct kh_blocks *set, struct kh_arena *arena, struct kh_view of,
			     struct kh_closure *ret_closure, struct kh_error *err) KH_CHECKED;

#endif
