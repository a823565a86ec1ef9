/*
 * The Reader `extract` (I3) over hostile content: the first byte chooses a query, and the rest is the text.  One query
 * an input, because all of them together take so long that few inputs are tried.
 *
 * Whatever the text is, the response is JSON of the query's form; category 1 is delivered, always; two asks, which one
 * input in 16 makes, give the same bytes; and the work is linear, which the fuzzer's time limit holds.
 */
#include "fuzz.h"

#include "core/bcp/answer.h"
#include "reader/extract.h"

#define MOST 320 /* bytes: longer texts reach nothing more, and take longer */

static const char fields[] =
	"{\"category\":1,\"fields\":[{\"name\":\"is_urgent\",\"type\":\"boolean\"},"
	"{\"name\":\"noReply_needed\",\"type\":\"boolean\"},{\"name\":\"has_link\",\"type\":\"boolean\"},"
	"{\"name\":\"sentiment\",\"type\":\"enum\",\"values\":[\"positive\",\"neutral\",\"negative\"]},"
	"{\"name\":\"paid\",\"type\":\"enum\",\"values\":[\"yes\",\"no\"]},"
	"{\"name\":\"guests\",\"type\":\"integer\",\"min\":0,\"max\":100},"
	"{\"name\":\"score\",\"type\":\"integer\",\"min\":-9007199254740991,\"max\":9007199254740991}]}";

static const char summary[] = "{\"category\":3,\"directive\":\"Summarise the mail.\",\"max_words\":40}";

/* A query of category 2 for each format, one with all of them, and one of each other category. */
enum { ALL = KH_FORMAT_COUNT, FIELDS, SUMMARY, QUERIES };

/* Questions of the formats FIRST to LAST, in words that meet many cues. */
static struct kh_view questions(struct kh_arena *arena, size_t first, size_t last)
{
	struct kh_view text = KH_LIT("{\"category\":2,\"questions\":[");

	for (size_t i = first; i <= last; i++)
		text = kh_arena_printf(arena,
				       "%.*s%s{\"id\":\"q%zu\",\"question\":\"When, where and how much is the meeting "
				       "of the sender's project due to start or end?\",\"max_words\":%zu,"
				       "\"expected_format\":\"%s\"}",
				       KH_FMT(text), i > first ? "," : "", i, 1 + i * 3,
				       kh_format_name((enum kh_format)i));
	return kh_arena_printf(arena, "%.*s]}", KH_FMT(text));
}

static struct kh_view text_of(struct kh_arena *arena, size_t i)
{
	if (i == FIELDS)
		return kh_view_str(fields);
	if (i == SUMMARY)
		return kh_view_str(summary);
	return i == ALL ? questions(arena, 0, KH_FORMAT_COUNT - 1) : questions(arena, i, i);
}

static const struct kh_query *query_at(size_t i)
{
	static struct kh_query queries[QUERIES];
	static struct kh_arena arena;

	if (queries[FIELDS].category != 0)
		return &queries[i];
	kh_fuzz_begin(&arena);
	for (size_t k = 0; k < QUERIES; k++) {
		struct kh_reasons errors;
		yyjson_val *root = NULL;
		kh_reasons_init(&errors, &arena);
		HOLDS(kh_json_read(&arena, text_of(&arena, k), &root, NULL) == KH_OK);
		HOLDS(kh_query_read(&arena, root, KH_QUERY_CHECK, &queries[k], &errors) == KH_OK);
		HOLDS(errors.n == 0);
	}
	return &queries[i];
}

static void ask(const struct kh_query *query, struct kh_view text)
{
	struct kh_arena arena;
	struct kh_view response, again;
	yyjson_val *root = NULL;

	kh_fuzz_begin(&arena);
	HOLDS(kh_extract_respond(&arena, query, text, &response) == KH_OK);
	if (text.n % 16 == 0) {
		HOLDS(kh_extract_respond(&arena, query, text, &again) == KH_OK);
		HOLDS(kh_view_eq(response, again));
	}
	HOLDS(kh_json_read(&arena, response, &root, NULL) == KH_OK);
	if (query->category == 1) {
		struct kh_answer answer;
		struct kh_recent none = {NULL, 0};
		HOLDS(kh_answer_judge(NULL, &arena, query, kh_tainted_wrap(response), none, &answer) == KH_OK);
		HOLDS(answer.verdict == KH_VERDICT_DELIVER);
	}
	kh_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0 && size <= MOST)
		ask(query_at(data[0] % QUERIES), kh_fuzz_view(data + 1, size - 1));
	return 0;
}
