/*
 * Answers (B10-B18): a Reader's response, any bytes, against a fixed set of queries that has every format and category.
 *
 * The first byte of the input picks the query.  As a capital letter: A has fields of all types, B to P one question of
 * each format, Q several questions with checks, R is a summary, and the rest of the input is the response.  As a small
 * letter the rest is the answer's or the summary's text, which is then put into a response: most of the formats' code
 * lies behind well-formed JSON.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "core/bcp/answer.h"

#define SMALL 32 /* the bit that makes a letter small */

enum { FIELDS, FIRST_FORMAT, SEVERAL = FIRST_FORMAT + KH_FORMAT_COUNT, SUMMARY, QUERIES };

static const char fields[] = "{\"category\":1,\"fields\":[{\"name\":\"b\",\"type\":\"boolean\"},{\"name\":\"e\","
			     "\"type\":\"enum\",\"values\":"
			     "[\"Low\",\"medium\",\"HIGH\",\"gro\xc3\x9f\"]},{\"name\":\"i\",\"type\":\"integer\","
			     "\"min\":-5,\"max\":1000}]}";

static const char several[] =
	"{\"category\":2,\"questions\":["
	"{\"id\":\"when\",\"question\":\"When is the meeting?\",\"expected_format\":\"date\"},"
	"{\"id\":\"q1\",\"question\":\"Is this meeting in Q1?\",\"expected_format\":\"yes_no\"},"
	"{\"id\":\"a\",\"question\":\"First part?\",\"expected_format\":\"number\"},"
	"{\"id\":\"b\",\"question\":\"Second part?\",\"expected_format\":\"number\"},"
	"{\"id\":\"sum\",\"question\":\"Both?\",\"expected_format\":\"number\"},"
	"{\"id\":\"list\",\"question\":\"Who comes?\",\"max_words\":20,\"expected_format\":\"short_list\"},"
	"{\"id\":\"text\",\"question\":\"What about?\",\"max_words\":20,\"expected_format\":\"short_text\"}],"
	"\"checks\":[{\"kind\":\"sum\",\"of\":[\"a\",\"b\"],\"is\":\"sum\"},{\"kind\":\"count\",\"list\":\"list\","
	"\"is\":2},"
	"{\"kind\":\"implies\",\"if\":{\"q1\":\"yes\"},\"then\":{\"a\":\"1\"}},{\"kind\":\"not_equal\",\"a\":\"a\","
	"\"b\":\"b\"}]}";

static const char summary[] = "{\"category\":3,\"directive\":\"Summarise the mail.\",\"max_words\":40}";

/* The queries, read once; they stay for the life of the program. */
static const struct kh_query *query_at(size_t i)
{
	static struct kh_query queries[QUERIES];
	static struct kh_arena arena;

	if (queries[FIELDS].category != 0)
		return &queries[i];
	kh_fuzz_begin(&arena);
	for (size_t k = 0; k < QUERIES; k++) {
		struct kh_view text = kh_view_str(k == FIELDS ? fields : k == SEVERAL ? several : summary);
		struct kh_reasons errors;
		yyjson_val *root = NULL;
		if (k >= FIRST_FORMAT && k < SEVERAL)
			text = kh_arena_printf(
				&arena,
				"{\"category\":2,\"questions\":[{\"id\":\"q\",\"question\":\"What is it?\","
				"\"max_words\":50,\"expected_format\":\"%s\"}]}",
				kh_format_name((enum kh_format)(k - FIRST_FORMAT)));
		kh_reasons_init(&errors, &arena);
		HOLDS(kh_json_read(&arena, text, &root, NULL) == KH_OK);
		HOLDS(kh_query_read(&arena, root, KH_QUERY_CHECK, &queries[k], &errors) == KH_OK);
		HOLDS(errors.n == 0);
	}
	return &queries[i];
}

/* TEXT as the answer to QUERY, in a response. */
static struct kh_view as_response(struct kh_arena *arena, const struct kh_query *query, struct kh_view text)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	struct kh_value value = {.text = text};
	struct kh_answer answer = {.values = &value, .value_count = 1};
	struct kh_view response;

	HOLDS(doc != NULL);
	HOLDS(kh_json_write(arena, kh_answer_write(&answer, query, doc), &response) == KH_OK);
	return response;
}

static void check_value(const struct kh_query *query, size_t i, const struct kh_value *value)
{
	if (query->category > 1) {
		kh_fuzz_delivered(value->text);
		return;
	}
	const struct kh_field *field = &query->fields[i];
	switch (field->type) {
	case KH_FIELD_BOOLEAN:
		HOLDS(value->number == 0 || value->number == 1);
		break;
	case KH_FIELD_ENUM:
		HOLDS(value->number >= 0 && (size_t)value->number < field->value_count);
		break;
	case KH_FIELD_INTEGER:
		HOLDS(value->number >= field->min && value->number <= field->max);
		break;
	}
}

static struct kh_answer judge(struct kh_arena *arena, const struct kh_query *query, struct kh_view response)
{
	struct kh_answer answer;
	struct kh_recent recent = {NULL, 0};

	HOLDS(kh_answer_judge(kh_fuzz_screen(), arena, query, kh_tainted_wrap(response), recent, &answer) == KH_OK);
	kh_fuzz_reasons(&answer.reasons);
	HOLDS((answer.verdict == KH_VERDICT_REJECT) == (answer.values == NULL));
	HOLDS((answer.verdict == KH_VERDICT_DELIVER) == (answer.reasons.n == 0));
	HOLDS(query->category != 1 || answer.verdict != KH_VERDICT_HOLD);
	HOLDS(query->category != 3 || answer.verdict != KH_VERDICT_DELIVER);
	for (size_t i = 0; answer.values != NULL && i < answer.value_count; i++)
		check_value(query, i, &answer.values[i]);
	return answer;
}

static struct kh_view written(struct kh_arena *arena, const struct kh_query *query, const struct kh_answer *answer)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	struct kh_view text;

	HOLDS(doc != NULL);
	HOLDS(kh_json_write(arena, kh_answer_write(answer, query, doc), &text) == KH_OK);
	return text;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	kh_fuzz_screen();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view response = kh_fuzz_view(data, size);
	struct kh_arena arena;

	if (size == 0)
		return 0;
	size_t pick = ((data[0] & (SMALL - 1U)) + QUERIES - 1) % QUERIES;
	const struct kh_query *query = query_at(pick);
	response = kh_view_from(response, 1);
	if ((data[0] & SMALL) && kh_utf8_invalid(response) != SIZE_MAX)
		return 0;
	kh_fuzz_begin(&arena);
	if ((data[0] & SMALL) && pick != FIELDS && pick != SEVERAL)
		response = as_response(&arena, query, response);
	struct kh_answer answer = judge(&arena, query, response);
	if (answer.values != NULL) {
		/* I-10: what came out, put in again, comes out again, at the same cost. */
		struct kh_view text = written(&arena, query, &answer);
		struct kh_answer again = judge(&arena, query, text);
		HOLDS(again.verdict <= answer.verdict);
		HOLDS(kh_view_eq(text, written(&arena, query, &again)));
	}
	kh_arena_done(&arena);
	return 0;
}
