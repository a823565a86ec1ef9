/*
 * Taint: what influenced a block (K5), and the one step by which taint falls (B23).
 */
#ifndef KH_CORE_BLOCK_TAINT_H
#define KH_CORE_BLOCK_TAINT_H

#include "core/block/blocks.h"

/*
 * What BCP's constraints and validation do to the Reader's taint: high to medium, medium to low, low to low.  Only
 * kh_block_delivery() puts the result on a block; every other way to make one can only raise taint.
 */
enum kh_taint kh_taint_step_down(enum kh_taint taint);

struct kh_closure {
	size_t *at; /* indices into the set, ascending: the blocks' order */
	size_t n;
	size_t *untrusted; /* those of them that are untrusted */
	size_t untrusted_count;
	enum kh_taint taint; /* the highest in it; low where it is empty */
	bool flagged;        /* it holds an untrusted block: what it influenced is verified (K6) */
};

/*
 * Everything that influenced block OF, over any number of steps, without OF itself.  The work is linear in what is
 * reached, not in the set.  `unknown_id` (KH_EUNKNOWN) where an id that is reached, or OF, is not in the set;
 * `cycle` (KH_EREFUSED) where a block that is reached influenced itself.
 */
enum kh_err kh_taint_closure(struct kh_blocks *set, struct kh_arena *arena, struct kh_view of,
			     struct kh_closure *ret_closure, struct kh_error *err) KH_CHECKED;

/* The same for something that is no block (a tool call): IDS, and everything that influenced them. */
enum kh_err kh_taint_influences(struct kh_blocks *set, struct kh_arena *arena, const struct kh_view *ids, size_t count,
				struct kh_closure *ret_closure, struct kh_error *err) KH_CHECKED;

#endif
