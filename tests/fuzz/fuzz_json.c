/* JSON: the strict reader, the writer, and the canonical form, which is its own canonical form (RFC 8785). */
#include "fuzz.h"

#include "base/canonical.h"
#include "base/utf8.h"

/* What was read, written and read again has the same canonical form CANONICAL. */
static void check_written(struct kh_arena *arena, yyjson_val *root, struct kh_view canonical)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	struct kh_view text, again;
	yyjson_val *read = NULL;

	HOLDS(doc != NULL);
	HOLDS(kh_json_write(arena, yyjson_val_mut_copy(doc, root), &text) == KH_OK);
	HOLDS(memchr(text.p, '\n', text.n) == NULL);
	HOLDS(kh_json_read(arena, text, &read, NULL) == KH_OK);
	HOLDS(kh_canonical_json(arena, read, &again, NULL) == KH_OK);
	HOLDS(kh_view_eq(canonical, again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view text = kh_fuzz_view(data, size), canonical, again;
	struct kh_error err = {.offset = SIZE_MAX};
	yyjson_val *root = NULL;
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	if (kh_json_read(&arena, text, &root, &err) != KH_OK) {
		HOLDS(root == NULL);
		HOLDS(err.offset == SIZE_MAX || err.offset <= size);
		kh_fuzz_error(&err);
	} else {
		HOLDS(kh_utf8_invalid(text) == SIZE_MAX);
		if (kh_canonical_json(&arena, root, &canonical, &err) == KH_OK) {
			HOLDS(kh_json_read(&arena, canonical, &root, &err) == KH_OK);
			HOLDS(kh_canonical_json(&arena, root, &again, &err) == KH_OK);
			HOLDS(kh_view_eq(canonical, again));
			check_written(&arena, root, canonical);
		} else {
			kh_fuzz_error(&err);
		}
	}
	kh_arena_done(&arena);
	return 0;
}
