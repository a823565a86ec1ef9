/*
 * A set of blocks: in the order in which they were added, each id once, found by id in constant time.  The index is
 * keyed with a random seed, so that nobody can choose ids that make it slow.  One thread at a time.
 */
#ifndef KH_CORE_BLOCK_BLOCKS_H
#define KH_CORE_BLOCK_BLOCKS_H

#include "core/block/block.h"

#define KH_BLOCKS_MAX  (1U << 24)
#define KH_BLOCKS_SEED 16
#define KH_BLOCKS_NONE SIZE_MAX

struct kh_blocks_slot {
	uint32_t hash;
	uint32_t index; /* plus 1; 0: free */
};

struct kh_blocks {
	struct kh_arena *arena;
	const struct kh_block **at;
	size_t n, cap;
	struct kh_blocks_slot *slots;
	size_t slot_count; /* a power of two, at least twice n */
	unsigned char seed[KH_BLOCKS_SEED];
};

/* An empty set.  SEED: 16 random bytes. */
void kh_blocks_init(struct kh_blocks *set, struct kh_arena *arena, const unsigned char seed[KH_BLOCKS_SEED]);

/*
 * Adds a block that was made elsewhere; it must live as long as the set.  `duplicate_id` if the set has its id already.
 */
enum kh_err kh_blocks_put(struct kh_blocks *set, const struct kh_block *block, struct kh_error *err) KH_CHECKED;

/* Makes a block and adds it. */
enum kh_err kh_blocks_add(struct kh_blocks *set, const struct kh_block_spec *spec, struct kh_error *err) KH_CHECKED;

/* The index of the block with this id, or KH_BLOCKS_NONE. */
size_t kh_blocks_find(const struct kh_blocks *set, struct kh_view id);

#endif
