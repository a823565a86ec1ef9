/*
 * Expected decisions (C7): a file of them is read whole, or refused with its line; what was read can be asked for, and
 * a file without a test is never read.
 */
#include "fuzz.h"

#include "core/policy/expectation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_expectations all = {.n = 0};
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	enum kh_err e = kh_expectation_read(&arena, kh_fuzz_view(data, size), KH_LIT("tests.yaml"), &all, &err);
	if (e == KH_OK) {
		HOLDS(all.n > 0);
		for (size_t i = 0; i < all.n; i++)
			HOLDS(all.at[i].line > 0 && yyjson_is_obj(all.at[i].request) && all.at[i].decision.n > 0);
	} else {
		HOLDS(all.n == 0 && err.code != NULL);
		kh_fuzz_error(&err);
	}
	kh_arena_done(&arena);
	return 0;
}
