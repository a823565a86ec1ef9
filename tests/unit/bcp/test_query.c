#include "ask.h"
#include "core/bcp/bits.h"

#include <stdio.h>

#define EXAMPLE                                                                                          \
	"{\"category\":1,\"fields\":[{\"name\":\"is_urgent\",\"type\":\"boolean\"},"                     \
	"{\"name\":\"sentiment\",\"type\":\"enum\",\"values\":[\"positive\",\"neutral\",\"negative\"]}," \
	"{\"name\":\"confidence\",\"type\":\"integer\",\"min\":1,\"max\":5},"                            \
	"{\"name\":\"category\",\"type\":\"enum\",\"values\":[\"billing\",\"technical\",\"legal\",\"other\"]}]}"

#define Q(members) "{\"category\":2,\"questions\":[{\"id\":\"q1\",\"question\":\"Who?\"," members "}]}"

/* B1, B5: the example of bcp.txt. */
static void test_example(struct kh_test *t)
{
	struct kh_query query = ask_good(t, EXAMPLE);

	assert_int_equal(query.category, 1);
	assert_int_equal(query.field_count, 4);
	assert_int_equal(query.microbits, 6906892);
}

/* B1: max_words of the query is the default of its questions; B2: the running system's spellings. */
static void test_spellings(struct kh_test *t)
{
	struct kh_query query = ask_good(
		t, "{\"to\":\"reader\",\"category\":2,\"max_words\":4,\"questions\":["
		   "{\"name\":\"q1\",\"question\":\"Who?\",\"format\":\"person_name\"},"
		   "{\"id\":\"q2\",\"question\":\"When?\",\"expected_format\":\"date\",\"max_words\":3}]}");

	assert_view(query.target, "reader");
	assert_int_equal(query.questions[0].max_words, 4);
	assert_int_equal(query.questions[1].max_words, 3);
	assert_view(query.questions[0].id, "q1");
	assert_int_equal(query.questions[0].format, KH_FORMAT_PERSON_NAME);
	assert_int_equal(query.microbits, 7 * 11 * KH_MICROBIT);
	query = ask_good(t, Q("\"format\":\"date\""));
	assert_int_equal(query.questions[0].max_words, 10);
	query = ask_good(t,
			 "{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"enum\",\"options\":[\"x\",\"y\"]}]}");
	assert_view(query.fields[0].values[1], "y");
	ask_bad(t, "{\"category\":3,\"to\":\"a\",\"target\":\"b\",\"directive\":\"Go\",\"max_words\":5}",
		"duplicate_member", "target");
}

/* Keyhole writes the form of bcp.txt, whatever it read. */
static void test_write(struct kh_test *t)
{
	struct kh_query query = ask_good(
		t, "{\"to\":\"r\",\"category\":2,\"questions\":[{\"name\":\"q1\",\"question\":\"Who?\",\"format\":"
		   "\"person_name\",\"max_words\":5,\"rephrasings\":[\"Which person?\"]}]}");
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	struct kh_view text;

	must(t, kh_json_write(&t->arena, kh_query_write(&query, doc), &text));
	assert_view(text, "{\"category\":2,\"questions\":[{\"id\":\"q1\",\"question\":\"Who?\",\"max_words\":5,"
			  "\"expected_format\":\"person_name\",\"rephrasings\":[\"Which person?\"]}]}");
	query = ask_good(t, EXAMPLE);
	must(t, kh_json_write(&t->arena, kh_query_write(&query, doc), &text));
	assert_view(text, EXAMPLE);
	query = ask_good(t, "{\"category\":3,\"directive\":\"Sum it up.\",\"max_words\":100}");
	assert_int_equal(query.microbits, 1100 * KH_MICROBIT);
	must(t, kh_json_write(&t->arena, kh_query_write(&query, doc), &text));
	assert_view(text, "{\"category\":3,\"directive\":\"Sum it up.\",\"max_words\":100,\"requires_approval\":true}");
}

/* B3: everything that is wrong has a code and the path of its member. */
static void test_bad(struct kh_test *t)
{
	static const char *const all[][3] = {
		{"[]", "wrong_type", ""},
		{"{}", "bad_category", "category"},
		{"{\"category\":4}", "bad_category", "category"},
		{"{\"category\":\"1\"}", "bad_category", "category"},
		{"{\"category\":1.0}", "bad_category", "category"},
		{"{\"category\":1}", "missing", "fields"},
		{"{\"category\":1,\"fields\":[]}", "empty", "fields"},
		{"{\"category\":1,\"fields\":{}}", "wrong_type", "fields"},
		{"{\"category\":1,\"fields\":[7]}", "wrong_type", "fields[0]"},
		{"{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"}],\"foo\":1}", "unknown_member",
		 "foo"},
		{"{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"}],\"max_words\":1}",
		 "unknown_member", "max_words"},
		{"{\"category\":1,\"questions\":[],\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"}]}",
		 "unknown_member", "questions"},
		{"{\"category\":2,\"fields\":[],\"questions\":[]}", "unknown_member", "fields"},
		{"{\"category\":2,\"questions\":[]}", "empty", "questions"},
		{"{\"category\":2}", "missing", "questions"},
		{Q("\"format\":\"data\""), "bad_format", "questions[0].expected_format"},
		{Q("\"max_words\":5"), "missing", "questions[0].expected_format"},
		{Q("\"format\":\"date\",\"max_words\":0"), "out_of_range", "questions[0].max_words"},
		{Q("\"format\":\"date\",\"max_words\":51"), "out_of_range", "questions[0].max_words"},
		{Q("\"format\":\"date\",\"max_words\":1.5"), "wrong_type", "questions[0].max_words"},
		{Q("\"format\":\"date\",\"extra\":true"), "unknown_member", "questions[0].extra"},
		{Q("\"format\":\"date\",\"rephrasings\":[]"), "out_of_range", "questions[0].rephrasings"},
		{Q("\"format\":\"date\",\"rephrasings\":[\"a\",\"b\",\"c\"]"), "out_of_range",
		 "questions[0].rephrasings"},
		{Q("\"format\":\"date\",\"rephrasings\":[1]"), "wrong_type", "questions[0].rephrasings[0]"},
		{Q("\"format\":\"date\",\"rephrasings\":[\" \"]"), "empty", "questions[0].rephrasings[0]"},
		{Q("\"format\":\"date\",\"rephrasings\":\"a\""), "wrong_type", "questions[0].rephrasings"},
		{"{\"category\":2,\"questions\":[{\"id\":\"1q\",\"question\":\"W\",\"format\":\"date\"}]}", "bad_name",
		 "questions[0].id"},
		{"{\"category\":2,\"questions\":[{\"id\":\"q\",\"question\":\" \",\"format\":\"date\"}]}", "empty",
		 "questions[0].question"},
		{"{\"category\":2,\"questions\":[{\"id\":\"q\",\"question\":7,\"format\":\"date\"}]}", "wrong_type",
		 "questions[0].question"},
		{"{\"category\":2,\"questions\":[{\"id\":\"q\",\"question\":\"A\",\"format\":\"date\"},{\"id\":\"q\","
		 "\"question\":"
		 "\"B\",\"format\":\"date\"}]}",
		 "duplicate_name", "questions[1].id"},
		{"{\"category\":2,\"questions\":[7]}", "wrong_type", "questions[0]"},
		{"{\"category\":3,\"max_words\":10}", "missing", "directive"},
		{"{\"category\":3,\"directive\":\"  \",\"max_words\":10}", "empty", "directive"},
		{"{\"category\":3,\"directive\":\"Go\"}", "missing", "max_words"},
		{"{\"category\":3,\"directive\":\"Go\",\"max_words\":501}", "out_of_range", "max_words"},
		{"{\"category\":3,\"directive\":\"Go\",\"max_words\":5,\"requires_approval\":false}",
		 "approval_required", "requires_approval"},
		{"{\"category\":3,\"directive\":\"Go\",\"max_words\":5,\"requires_approval\":1}", "wrong_type",
		 "requires_approval"},
		{"{\"category\":3,\"directive\":\"Go\",\"max_words\":5,\"justification\":\"because\"}",
		 "justification_short", "justification"},
		{"{\"category\":3,\"directive\":\"Go\",\"max_words\":5,\"target\":\"a b\"}", "bad_name", "target"},
		{"{\"category\":3,\"directive\":\"Go\",\"max_words\":5,\"blocks\":[1]}", "bad_name", "blocks[0]"},
		{"{\"category\":3,\"directive\":\"Go\",\"max_words\":5,\"blocks\":\"b1\"}", "wrong_type", "blocks"},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ask_bad(t, all[i][0], all[i][1], all[i][2]);
}

/* All errors are told, not only the first. */
static void test_all_errors(struct kh_test *t)
{
	struct kh_reasons errors;

	ask(t,
	    "{\"category\":1,\"fields\":[{\"name\":\"\",\"type\":\"bool\"},{\"name\":\"a\",\"type\":\"integer\","
	    "\"min\":5,"
	    "\"max\":1}],\"to\":7}",
	    &errors);
	must(t, kh_arena_check(&t->arena));
	assert_int_equal(errors.n, 4);
}

/* B3: limits. */
static void test_limits(struct kh_test *t)
{
	static char json[200000];
	struct kh_reasons errors;
	size_t n = (size_t)snprintf(json, sizeof(json), "{\"category\":1,\"fields\":[");

	for (int i = 0; i < 65; i++)
		n += (size_t)snprintf(json + n, sizeof(json) - n, "%s{\"name\":\"f%d\",\"type\":\"boolean\"}",
				      i ? "," : "", i);
	snprintf(json + n, sizeof(json) - n, "]}");
	ask_bad(t, json, "too_many", "fields");
	n = (size_t)snprintf(json, sizeof(json), "{\"category\":2,\"questions\":[");
	for (int i = 0; i < 17; i++)
		n += (size_t)snprintf(json + n, sizeof(json) - n,
				      "%s{\"id\":\"q%d\",\"question\":\"A?\",\"format\":\"date\"}", i ? "," : "", i);
	snprintf(json + n, sizeof(json) - n, "]}");
	ask_bad(t, json, "too_many", "questions");
	n = (size_t)snprintf(json, sizeof(json), "{\"category\":3,\"max_words\":5,\"directive\":\"");
	memset(json + n, 'x', 70000);
	snprintf(json + n + 70000, sizeof(json) - n - 70000, "\"}");
	ask(t, json, &errors);
	must(t, kh_arena_check(&t->arena));
	assert_string_equal(errors.at[0].code, "too_long");
}

/* B1: what admission wants on top. */
static void test_admission(struct kh_test *t)
{
	struct kh_query query;
	struct kh_reasons errors;
	yyjson_val *root = NULL;

	kh_reasons_init(&errors, &t->arena);
	must(t,
	     kh_json_read(&t->arena, KH_LIT("{\"category\":3,\"directive\":\"Go\",\"max_words\":5}"), &root, &t->err));
	must(t, kh_query_read(&t->arena, root, KH_QUERY_ADMIT, &query, &errors));
	assert_int_equal(errors.n, 2);
	assert_view(errors.at[0].member, "target");
	assert_view(errors.at[1].member, "justification");
	query = ask_good(
		t, "{\"category\":3,\"directive\":\"Go\",\"max_words\":5,\"target\":\"r\",\"task\":\"t1\",\"need\":"
		   "\"n\",\"blocks\":[\"b1\",\"b2\"],\"justification\":\"no lower category can hold the story\"}");
	assert_int_equal(query.block_count, 2);
	assert_view(query.blocks[1], "b2");
	assert_view(query.task, "t1");
	assert_view(query.need, "n");
}

/* B10: 64 bits of category 1 are counted exactly: what is over them is an escalation. */
static void test_escalation(struct kh_test *t)
{
	struct kh_query query = ask_good(
		t, "{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"min\":0,\"max\":4294967295},"
		   "{\"name\":\"b\",\"type\":\"integer\",\"min\":0,\"max\":4294967295}]}");

	assert_int_equal(query.microbits, 64 * KH_MICROBIT);
	assert_false(query.microbits > KH_BITS_ESCALATION);
	query = ask_good(
		t, "{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"min\":0,\"max\":4294967296},"
		   "{\"name\":\"b\",\"type\":\"integer\",\"min\":0,\"max\":4294967295}]}");
	assert_true(query.microbits > KH_BITS_ESCALATION);
}

static const struct kh_test_case cases[] = {KH_TEST(test_example),   KH_TEST(test_spellings),  KH_TEST(test_write),
					    KH_TEST(test_bad),       KH_TEST(test_all_errors), KH_TEST(test_limits),
					    KH_TEST(test_admission), KH_TEST(test_escalation)};
KH_TEST_MAIN(cases)
