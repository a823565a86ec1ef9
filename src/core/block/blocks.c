/*
 * The set of blocks: an array in order and an open-addressed index over it, keyed with SipHash.  Ids are hostile, but
 * their author does not know the seed, so probing stays short.
 */
#include "core/block/blocks.h"

#include <sodium.h>

#define FIRST 16

_Static_assert(crypto_shorthash_KEYBYTES == KH_BLOCKS_SEED, "the seed is the hash's key");

void kh_blocks_init(struct kh_blocks *set, struct kh_arena *arena, const unsigned char seed[KH_BLOCKS_SEED])
{
	*set = (struct kh_blocks){.arena = arena};
	memcpy(set->seed, seed, KH_BLOCKS_SEED);
}

static uint32_t hash_id(const struct kh_blocks *set, struct kh_view id)
{
	unsigned char out[crypto_shorthash_BYTES];
	uint32_t hash;

	crypto_shorthash(out, (const unsigned char *)id.p, id.n, set->seed);
	memcpy(&hash, out, sizeof(hash));
	return hash;
}

/* The slot of ID, or the free slot for it. */
static struct kh_blocks_slot *probe(const struct kh_blocks *set, struct kh_view id, uint32_t hash)
{
	size_t i = hash & (set->slot_count - 1);

	for (;; i = (i + 1) & (set->slot_count - 1)) {
		struct kh_blocks_slot *slot = &set->slots[i];
		if (slot->index == 0 || (slot->hash == hash && kh_view_eq(set->at[slot->index - 1]->id, id)))
			return slot;
	}
}

size_t kh_blocks_find(const struct kh_blocks *set, struct kh_view id)
{
	if (set->n == 0)
		return KH_BLOCKS_NONE;
	const struct kh_blocks_slot *slot = probe(set, id, hash_id(set, id));
	return slot->index == 0 ? KH_BLOCKS_NONE : slot->index - 1;
}

/* Makes room for one more.  On failure the set is unchanged. */
static enum kh_err grow(struct kh_blocks *set)
{
	size_t cap = set->cap ? set->cap * 2 : FIRST, count = cap * 2;
	const struct kh_block **at = kh_arena_grow(set->arena, set->at, set->n * sizeof(struct kh_block *),
						   cap * sizeof(struct kh_block *));
	struct kh_blocks_slot *slots = KH_NEW_N(set->arena, struct kh_blocks_slot, count);

	if (at == NULL || slots == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < set->slot_count; i++) {
		size_t to = set->slots[i].hash & (count - 1);
		if (set->slots[i].index == 0)
			continue;
		while (slots[to].index != 0)
			to = (to + 1) & (count - 1);
		slots[to] = set->slots[i];
	}
	set->at = at;
	set->slots = slots;
	set->slot_count = count;
	set->cap = cap;
	return KH_OK;
}

enum kh_err kh_blocks_put(struct kh_blocks *set, const struct kh_block *block, struct kh_error *err)
{
	if (set->n == KH_BLOCKS_MAX)
		return kh_error_set(err, KH_ELIMIT, "too_large", "more than %u blocks", KH_BLOCKS_MAX);
	if (set->n == set->cap && grow(set) != KH_OK)
		return KH_ENOMEM;
	uint32_t hash = hash_id(set, block->id);
	struct kh_blocks_slot *slot = probe(set, block->id, hash);
	if (slot->index != 0)
		return kh_error_set(err, KH_EREFUSED, "duplicate_id", "id \"%.*s\" is there twice", KH_FMT(block->id));
	set->at[set->n++] = block;
	*slot = (struct kh_blocks_slot){hash, (uint32_t)set->n};
	return KH_OK;
}

enum kh_err kh_blocks_add(struct kh_blocks *set, const struct kh_block_spec *spec, struct kh_error *err)
{
	const struct kh_block *block;
	enum kh_err e = kh_block_make(set->arena, spec, &block, err);

	return e == KH_OK ? kh_blocks_put(set, block, err) : e;
}
