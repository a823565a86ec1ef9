/*
 * What an upstream server answers (U6), to a tool's call and as the content of a resource (U3), as its worker writes it
 * and as it is.
 *
 * Whatever it is, it has an end.  What becomes a block is valid UTF-8 within its bound, and only an answer that ends OK or
 * failed has any.  What is kept is JSON, and what is said to people of it is showable.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "upstream/answer.h"

static void read_as(const uint8_t *data, size_t size, bool is_resource)
{
	struct kh_errand_result result = {.end = KH_ERRAND_FAILED};
	struct kh_arena arena;
	struct kh_error err;
	yyjson_val *root;

	kh_fuzz_begin(&arena);
	HOLDS(kh_answer_read(&arena, kh_tainted_wrap(kh_fuzz_view(data, size)), is_resource, &result) == KH_OK);
	struct kh_view content = kh_tainted_open(result.content), original = kh_tainted_open(result.original);
	struct kh_view details = kh_tainted_open(result.details);

	HOLDS(kh_utf8_invalid(content) == SIZE_MAX && content.n <= KH_ERRAND_CONTENT);
	HOLDS(result.vettable <= content.n && kh_utf8_invalid(kh_view_from(content, result.vettable)) == SIZE_MAX);
	HOLDS(result.end != KH_ERRAND_UNKNOWN || content.n == 0);
	HOLDS((result.end == KH_ERRAND_OK) == (result.why.n == 0) && (result.end != KH_ERRAND_OK || original.n > 0));
	HOLDS(original.n == 0 || kh_json_read(&arena, original, &root, &err) == KH_OK);
	HOLDS(details.n == 0 ||
	      (details.n <= KH_ERRAND_DETAILS && kh_json_read(&arena, details, &root, &err) == KH_OK));
	kh_fuzz_showable(result.why);
	kh_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_as(data, size, false);
	read_as(data, size, true);
	return 0;
}
