/*
 * What is sent to a Reader.  The blocks' content comes from outside: it is verified to be what was sealed, and leaves
 * here as text between fences, inside a JSON string.  Nothing here interprets it.
 */
#include "reader/reader.h"

#include "core/bcp/message.h"
#include "core/block/prompt.h"
#include "core/comm/fence.h"
#include "core/comm/lineage.h"

_Static_assert(sizeof(((struct kh_reader_ask *)NULL)->nonce) == KH_FENCE_NONCE_SIZE, "an ask's nonce makes fences");

/* The nonce of fence INDEX: one block must not be able to know the end of the next one's fence. */
static void derive_nonce(const struct kh_reader_ask *ask, size_t index, unsigned char ret_nonce[KH_FENCE_NONCE_SIZE])
{
	char from[KH_FENCE_NONCE_SIZE + sizeof(uint64_t)];

	memcpy(from, ask->nonce, KH_FENCE_NONCE_SIZE);
	for (size_t i = 0; i < sizeof(uint64_t); i++)
		from[KH_FENCE_NONCE_SIZE + i] = (char)((uint64_t)index >> (8 * i));
	struct kh_digest digest = kh_canonical_digest(kh_view_of(from, sizeof(from)));
	memcpy(ret_nonce, digest.bytes, KH_FENCE_NONCE_SIZE);
}

/* E10: recomputed at every use.  An attribution that cannot be parsed counts as changed, like other content. */
static enum kh_err prove(struct kh_arena *arena, const struct kh_reader_ask *ask, const struct kh_reader_block *block,
			 struct kh_attribution *ret_attribution, struct kh_error *err)
{
	struct kh_error why = {.offset = SIZE_MAX};
	yyjson_val *metadata = NULL;
	enum kh_err e = kh_json_read(arena, block->attribution, &metadata, &why);

	if (e == KH_OK && kh_lineage_is(metadata)) /* a delivery */
		e = kh_lineage_check(arena, metadata, kh_tainted_open(block->content), ask->task, ret_attribution,
				     &why);
	else if (e == KH_OK)
		e = kh_attribution_check(arena, metadata, kh_tainted_open(block->content), ask->task, ret_attribution,
					 &why);
	if (e == KH_OK || e == KH_ENOMEM)
		return e;
	return kh_error_set(err, KH_ECHANGED, "changed", "block %.*s: %s", KH_FMT(block->id), why.detail);
}

enum kh_err kh_reader_prove(struct kh_arena *arena, const struct kh_reader_ask *ask, struct kh_error *err)
{
	struct kh_attribution attribution;
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < ask->block_count; i++)
		e = prove(arena, ask, &ask->blocks[i], &attribution, err);
	return e;
}

/* Block INDEX in its fence, as text. */
static enum kh_err fence_block(struct kh_arena *arena, const struct kh_reader_ask *ask, size_t index,
			       struct kh_view *ret_text, struct kh_error *err)
{
	const struct kh_reader_block *block = &ask->blocks[index];
	unsigned char nonce[KH_FENCE_NONCE_SIZE];
	struct kh_attribution attribution;
	struct kh_fence fence;
	enum kh_err e = prove(arena, ask, block, &attribution, err);

	if (e != KH_OK)
		return e;
	derive_nonce(ask, index, nonce);
	e = kh_fence_wrap(arena, nonce, &attribution, kh_tainted_open(block->content), &fence, err);
	if (e == KH_OK)
		*ret_text = fence.rendered;
	return e;
}

enum kh_err kh_reader_fences(struct kh_arena *arena, const struct kh_reader_ask *ask, struct kh_view **ret_texts,
			     struct kh_error *err)
{
	struct kh_view *texts = KH_NEW_N(arena, struct kh_view, ask->block_count);
	enum kh_err e = texts != NULL ? KH_OK : KH_ENOMEM;

	for (size_t i = 0; e == KH_OK && i < ask->block_count; i++)
		e = fence_block(arena, ask, i, &texts[i], err);
	if (e == KH_OK)
		*ret_texts = texts;
	return e == KH_ENOMEM ? kh_error_set(err, e, "out_of_memory", "no memory for a Reader's message") : e;
}

enum kh_err kh_reader_message(struct kh_arena *arena, const struct kh_reader_ask *ask, struct kh_view *ret_json,
			      struct kh_error *err)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *message = kh_message_query(doc, ask->query, ask->id, ask->from), *context;
	struct kh_view *texts;
	enum kh_err e = kh_reader_fences(arena, ask, &texts, err);

	if (e != KH_OK)
		return e;
	if (ask->again.n > 0)
		kh_json_add(doc, message, "again", ask->again);
	kh_json_add(doc, message, "prompt", ask->prompt.n > 0 ? ask->prompt : kh_prompt_find(KH_LIT("reader"))->text);
	context = yyjson_mut_obj_add_arr(doc, message, "context");
	for (size_t i = 0; i < ask->block_count; i++)
		yyjson_mut_arr_add_strn(doc, context, texts[i].p, texts[i].n);
	e = kh_json_write(arena, message, ret_json);
	return e == KH_OK ? e : kh_error_set(err, e, "out_of_memory", "no memory for a Reader's message");
}
