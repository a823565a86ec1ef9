/* Normal forms: each is its own normal form, and nothing invisible is left in what is delivered (B17). */
#include "fuzz.h"

#include "base/utf8.h"
#include "core/screen/normalise.h"

static void check_text(struct kh_arena *arena, struct kh_view text)
{
	struct kh_normalised once, twice;

	HOLDS(kh_normalise_text(arena, text, &once) == KH_OK);
	if (once.text.n > 0)
		kh_fuzz_delivered(once.text);
	HOLDS(kh_normalise_text(arena, once.text, &twice) == KH_OK);
	HOLDS(kh_view_eq(once.text, twice.text));
	HOLDS(twice.hidden == 0 && twice.soft == 0);
}

static void check_views(struct kh_arena *arena, struct kh_view text)
{
	struct kh_view once, twice;

	HOLDS(kh_normalise_lower(arena, text, &once) == KH_OK);
	HOLDS(kh_normalise_lower(arena, once, &twice) == KH_OK);
	HOLDS(kh_view_eq(once, twice));
	HOLDS(kh_normalise_key(arena, text, &once) == KH_OK);
	HOLDS(kh_normalise_key(arena, once, &twice) == KH_OK);
	HOLDS(kh_view_eq(once, twice));
}

/* The skeleton with origins is the skeleton, and its origins are places of the text, in order. */
static void check_skeleton(struct kh_arena *arena, struct kh_view text)
{
	struct kh_view skeleton, mapped;
	uint32_t *origin = NULL;

	HOLDS(kh_normalise_skeleton(arena, text, &skeleton) == KH_OK);
	HOLDS(kh_utf8_invalid(skeleton) == SIZE_MAX);
	HOLDS(kh_normalise_skeleton_map(arena, text, &mapped, &origin) == KH_OK);
	HOLDS(kh_view_eq(skeleton, mapped));
	for (size_t i = 0; i < mapped.n; i++)
		HOLDS(origin[i] <= origin[i + 1]);
	HOLDS(origin[mapped.n] <= text.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view text = kh_fuzz_view(data, size);
	struct kh_arena arena;

	if (kh_utf8_invalid(text) != SIZE_MAX)
		return 0;
	kh_fuzz_begin(&arena);
	check_text(&arena, text);
	check_views(&arena, text);
	check_skeleton(&arena, text);
	kh_arena_done(&arena);
	return 0;
}
