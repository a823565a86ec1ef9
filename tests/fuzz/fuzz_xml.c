/*
 * Blocks as XML (K1, K2).  What is read is written and read again byte for byte, and is never an untrusted instruction;
 * content, whatever it is, does not leave its block.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "core/block/xml.h"

static const unsigned char seed[KH_BLOCKS_SEED] = {1, 2, 3};

static void check_same(const struct kh_block *a, const struct kh_block *b)
{
	HOLDS(kh_view_eq(a->id, b->id));
	HOLDS(kh_view_eq(a->source, b->source));
	HOLDS(kh_view_eq(a->content, b->content));
	HOLDS(memcmp(&a->content_hash, &b->content_hash, sizeof(a->content_hash)) == 0);
	HOLDS(a->trust == b->trust && a->type == b->type && a->taint == b->taint);
	HOLDS(a->created_at == b->created_at);
	HOLDS(a->tainted_by_count == b->tainted_by_count);
	for (size_t i = 0; i < a->tainted_by_count; i++)
		HOLDS(kh_view_eq(a->tainted_by[i], b->tainted_by[i]));
}

/* SET, written and read again, is the same set and is written the same. */
static void check_round(struct kh_arena *arena, const struct kh_blocks *set)
{
	struct kh_view text, again;
	struct kh_blocks read;

	HOLDS(kh_xml_write(arena, set, &text) == KH_OK);
	kh_blocks_init(&read, arena, seed);
	HOLDS(kh_xml_read(&read, text, NULL) == KH_OK);
	HOLDS(read.n == set->n);
	for (size_t i = 0; i < set->n; i++)
		check_same(set->at[i], read.at[i]);
	HOLDS(kh_xml_write(arena, &read, &again) == KH_OK);
	HOLDS(kh_view_eq(text, again));
}

static void check_reader(struct kh_arena *arena, struct kh_view text)
{
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_blocks set;

	kh_blocks_init(&set, arena, seed);
	enum kh_err e = kh_xml_read(&set, text, &err);
	for (size_t i = 0; i < set.n; i++) {
		HOLDS(set.at[i]->trust != KH_UNTRUSTED || set.at[i]->type == KH_DATA);
		HOLDS(set.at[i]->taint >= kh_label_initial_taint(set.at[i]->trust));
	}
	if (e == KH_OK) {
		check_round(arena, &set);
	} else {
		HOLDS(err.code != NULL && err.offset <= text.n);
		kh_fuzz_error(&err);
	}
}

/* TEXT as the content and, where it is short enough, the source of one block between two others. */
static void check_content(struct kh_arena *arena, struct kh_view text)
{
	struct kh_block_spec spec = {.id = KH_LIT("b1"), .trust = KH_TRUSTED, .content = KH_LIT("before")};
	struct kh_blocks set;

	kh_blocks_init(&set, arena, seed);
	HOLDS(kh_blocks_add(&set, &spec, NULL) == KH_OK);
	spec = (struct kh_block_spec){
		.id = KH_LIT("b2"), .trust = KH_UNTRUSTED, .type = KH_DATA, .content = text, .source = text};
	if (spec.source.n > KH_BLOCK_SOURCE_MAX)
		spec.source.n = 0;
	HOLDS(kh_blocks_add(&set, &spec, NULL) == KH_OK);
	spec = (struct kh_block_spec){.id = KH_LIT("b3"), .trust = KH_VETTED, .content = KH_LIT("after")};
	HOLDS(kh_blocks_add(&set, &spec, NULL) == KH_OK);
	check_round(arena, &set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view text = kh_fuzz_view(data, size);
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	check_reader(&arena, text);
	if (kh_utf8_invalid(text) == SIZE_MAX)
		check_content(&arena, text);
	kh_arena_done(&arena);
	return 0;
}
