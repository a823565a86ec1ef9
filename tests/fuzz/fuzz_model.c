/*
 * What a model's endpoint sends (I3): any bytes are an answer, or none and a sentence of ours.  The first byte chooses
 * the API and the query's category.  An answer is an object that can be judged; a sentence has nothing of the input in
 * it, and says something.
 */
#include "fuzz.h"

#include "reader/anthropic.h"
#include "reader/openai.h"
#include "reader/retry.h"

static const char *const queries[] = {
	"{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"}]}",
	("{\"category\":2,\"questions\":[{\"id\":\"q1\",\"question\":\"Who?\",\"max_words\":3,"
	 "\"expected_format\":\"person_name\"}]}"),
	"{\"category\":3,\"directive\":\"Summarize the letter.\",\"max_words\":20}",
};

static void read_query(struct kh_arena *arena, const char *text, struct kh_query *ret_query)
{
	struct kh_reasons errors;
	yyjson_val *val = NULL;

	kh_reasons_init(&errors, arena);
	HOLDS(kh_json_read(arena, kh_view_str(text), &val, NULL) == KH_OK);
	HOLDS(kh_query_read(arena, val, KH_QUERY_CHECK, ret_query, &errors) == KH_OK && errors.n == 0);
}

/* An object on one line, in which answers are never by id any more. */
static void check_answer(struct kh_arena *arena, const struct kh_query *query, struct kh_view json)
{
	yyjson_val *root = NULL;

	HOLDS(json.n > 0 && memchr(json.p, '\n', json.n) == NULL);
	HOLDS(kh_json_read(arena, json, &root, NULL) == KH_OK && yyjson_is_obj(root));
	HOLDS(query->category != 2 || !yyjson_is_obj(kh_json_get(root, "answers")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned choice = size > 0 ? data[0] : 0;
	struct kh_view body = kh_fuzz_view(data + (size > 0), size - (size > 0)), why;
	struct kh_tainted response;
	struct kh_query query;
	struct kh_arena arena;
	int64_t ms;

	kh_fuzz_begin(&arena);
	read_query(&arena, queries[choice / 2 % 3], &query);
	enum kh_err e = kh_model_answer(&arena, &query, kh_tainted_wrap(body),
					choice % 2 == 0 ? kh_openai_find : kh_anthropic_find, &response, &why);
	HOLDS(e == KH_OK);
	if (why.n == 0) {
		check_answer(&arena, &query, kh_tainted_open(response));
	} else {
		HOLDS(kh_tainted_open(response).p == NULL);
		kh_fuzz_showable(why);
	}
	if (kh_retry_after_ms(body, 1800000000, &ms))
		HOLDS(ms >= 0 && ms <= KH_RETRY_NEVER_MS);
	kh_arena_done(&arena);
	return 0;
}
