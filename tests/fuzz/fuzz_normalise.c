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
	HOLDS(kh_normalise_skeleton(arena, text, &once) == KH_OK);
	HOLDS(kh_utf8_invalid(once) == SIZE_MAX);
	HOLDS(kh_normalise_key(arena, text, &once) == KH_OK);
	HOLDS(kh_normalise_key(arena, once, &twice) == KH_OK);
	HOLDS(kh_view_eq(once, twice));
}

/* A form for scanning is valid UTF-8, and its origins are places of the text, in order. */
static void check_form(struct kh_arena *arena, struct kh_view text, unsigned flags)
{
	uint32_t *origin = NULL;
	struct kh_view form;

	HOLDS(kh_normalise_form(arena, text, flags, &form, &origin) == KH_OK);
	HOLDS(kh_utf8_invalid(form) == SIZE_MAX);
	for (size_t i = 0; i < form.n; i++)
		HOLDS(origin[i] <= origin[i + 1]);
	HOLDS(origin[form.n] == text.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view text = kh_fuzz_view(data, size);
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	for (unsigned flags = 0; flags <= (KH_NORMALISE_FOLD | KH_NORMALISE_LOOKALIKE); flags++)
		check_form(&arena, text, flags);
	if (kh_utf8_invalid(text) == SIZE_MAX) {
		check_text(&arena, text);
		check_views(&arena, text);
	}
	kh_arena_done(&arena);
	return 0;
}
