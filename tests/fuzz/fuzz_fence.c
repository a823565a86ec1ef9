/*
 * The fence (E11): unwrapping what was wrapped gives the content back; a fenced object in which one byte is changed is
 * refused, unless it is the same JSON value; whatever is taken is exactly what wrapping its content gives.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "core/comm/fence.h"

static const unsigned char nonce[KH_FENCE_NONCE_SIZE] = {0xa5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static struct kh_view canonical(struct kh_arena *arena, yyjson_val *val)
{
	struct kh_view text;

	HOLDS(kh_canonical_json(arena, val, &text, NULL) == KH_OK);
	return text;
}

static struct kh_view written(struct kh_arena *arena, const struct kh_fence *fence)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	struct kh_view text;

	HOLDS(doc != NULL);
	HOLDS(kh_json_write(arena, kh_fence_json(arena, doc, fence), &text) == KH_OK);
	return text;
}

static size_t occurrences(struct kh_view text, struct kh_view needle)
{
	size_t n = 0;

	for (size_t at = kh_view_find(text, needle, 0); at != SIZE_MAX; at = kh_view_find(text, needle, at + 1))
		n++;
	return n;
}

/* One byte of TEXT, which fences CONTENT, is another: the place and the byte are the input's to choose. */
static void check_changed(struct kh_arena *arena, struct kh_view text, struct kh_view content)
{
	struct kh_view changed = kh_arena_dup(arena, text);
	struct kh_digest pick = kh_canonical_digest(content);
	yyjson_val *before = NULL, *after = NULL;
	struct kh_fence fence;
	size_t at;

	HOLDS(changed.p != NULL);
	memcpy(&at, pick.bytes, sizeof(at));
	((char *)(uintptr_t)changed.p)[at % changed.n] ^= (char)(1 + pick.bytes[8] % 127);
	if (kh_json_read(arena, changed, &after, NULL) != KH_OK)
		return;
	HOLDS(kh_json_read(arena, text, &before, NULL) == KH_OK);
	enum kh_err e = kh_fence_unwrap(arena, after, &fence, NULL);
	HOLDS(e == KH_OK || e == KH_ECHANGED || e == KH_EINPUT);
	if (e == KH_OK)
		HOLDS(kh_view_eq(canonical(arena, before), canonical(arena, after)));
}

static void check_wrap(struct kh_arena *arena, struct kh_view content)
{
	struct kh_attribution attribution = {.operation = KH_LIT("comm.fetch"),
					     .session_id = KH_LIT("s1"),
					     .source = KH_LIT("https://example.com/"),
					     .timestamp = 1};
	struct kh_fence fence, back;
	yyjson_val *root = NULL;

	HOLDS(kh_attribution_make(arena, &attribution, content, NULL) == KH_OK);
	if (kh_fence_wrap(arena, nonce, &attribution, content, &fence, NULL) != KH_OK) {
		HOLDS(kh_view_find(content, KH_LIT("a50102030405060708090a0b0c0d0e0f"), 0) != SIZE_MAX);
		return;
	}
	/* I-17: the first line and the last. */
	HOLDS(occurrences(fence.rendered, KH_LIT(KH_ATTRIBUTION_MARKER)) == 2);
	HOLDS(occurrences(fence.rendered, fence.nonce) == 2);
	struct kh_view text = written(arena, &fence);
	HOLDS(kh_json_read(arena, text, &root, NULL) == KH_OK);
	HOLDS(kh_fence_unwrap(arena, root, &back, NULL) == KH_OK);
	HOLDS(kh_view_eq(back.content, content));
	HOLDS(kh_view_eq(text, written(arena, &back)));
	check_changed(arena, text, content);
}

/* The input as a fenced object of somebody else's. */
static void check_unwrap(struct kh_arena *arena, struct kh_view text)
{
	struct kh_error err = {.offset = SIZE_MAX};
	yyjson_val *root = NULL, *again = NULL;
	struct kh_fence fence;

	if (kh_json_read(arena, text, &root, NULL) != KH_OK)
		return;
	if (kh_fence_unwrap(arena, root, &fence, &err) != KH_OK) {
		kh_fuzz_error(&err);
		return;
	}
	HOLDS(kh_json_read(arena, written(arena, &fence), &again, NULL) == KH_OK);
	HOLDS(kh_view_eq(canonical(arena, root), canonical(arena, again)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view text = kh_fuzz_view(data, size);
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	if (kh_utf8_invalid(text) == SIZE_MAX)
		check_wrap(&arena, text);
	check_unwrap(&arena, text);
	kh_arena_done(&arena);
	return 0;
}
