/* I3: the form of an answer as a JSON Schema, and an answer in that form as bcp.txt has it. */
#include "asking.h"

#include "core/bcp/answer.h"
#include "reader/answer_schema.h"

#include <stdio.h>

static struct kh_view schema_of(struct kh_test *t, const char *query, bool lengths)
{
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *schema = kh_answer_schema_make(doc, &t->arena, query_of(t, query), lengths);
	struct kh_view text;

	must(t, kh_json_write(&t->arena, schema, &text));
	return text;
}

#define OBJECT(properties, required)                                                                                 \
	"{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "],\"additionalProperties\":" \
	"false}"

/* Every kind of field with its own bounds; all required, nothing else permitted. */
static void test_fields(struct kh_test *t)
{
	static const char query[] = "{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"},"
				    "{\"name\":\"b.c-d\",\"type\":\"enum\",\"values\":[\"x\",\"Y \\\"z\\\"\"]},"
				    "{\"name\":\"n\",\"type\":\"integer\",\"min\":-9007199254740992,\"max\":7}]}";
	static const char fields[] = OBJECT(
		"\"a\":{\"type\":\"boolean\"},\"b.c-d\":{\"type\":\"string\",\"enum\":[\"x\",\"Y "
		"\\\"z\\\"\"]},\"n\":{\"type\":\"integer\",\"minimum\":-9007199254740992,\"maximum\":7}",
		"\"a\",\"b.c-d\",\"n\"");
	char whole[1024];

	snprintf(whole, sizeof(whole), OBJECT("\"fields\":%s", "\"fields\""), fields);
	assert_view(schema_of(t, query, true), whole);
	assert_view(schema_of(t, query, false), whole);
}

static void test_answers(struct kh_test *t)
{
	static const char query[] =
		"{\"category\":2,\"questions\":[{\"id\":\"q1\",\"question\":\"Who?\",\"max_words\":3,"
		"\"expected_format\":\"person_name\"},{\"id\":\"q2\",\"question\":\"What?\",\"max_words\":50,"
		"\"expected_format\":\"short_text\"}]}";

	assert_view(schema_of(t, query, true),
		    OBJECT("\"answers\":" OBJECT("\"q1\":{\"type\":\"string\",\"description\":\"person_name, at most 3 "
						 "words\",\"maxLength\":122},\"q2\":{\"type\":\"string\","
						 "\"description\":\"short_text, at most 50 words\",\"maxLength\":2049}",
						 "\"q1\",\"q2\""),
			   "\"answers\""));
	assert_view(schema_of(t, query, false),
		    OBJECT("\"answers\":" OBJECT("\"q1\":{\"type\":\"string\",\"description\":\"person_name, at most 3 "
						 "words\"},\"q2\":{\"type\":\"string\","
						 "\"description\":\"short_text, at most 50 words\"}",
						 "\"q1\",\"q2\""),
			   "\"answers\""));
}

static void test_summary(struct kh_test *t)
{
	static const char query[] = "{\"category\":3,\"directive\":\"Summarize.\",\"max_words\":500}";

	assert_view(
		schema_of(t, query, true),
		OBJECT("\"summary\":{\"type\":\"string\",\"description\":\"at most 500 words\",\"maxLength\":20499}",
		       "\"summary\""));
}

/* The longest answer that is in form fits into the bytes that are said. */
static void test_bytes(struct kh_test *t)
{
	static const struct {
		const char *query, *longest;
	} all[] = {
		{QUERY, "{\"fields\":{\"a\":false}}"},
		{"{\"category\":1,\"fields\":[{\"name\":\"n\",\"type\":\"integer\",\"min\":-9007199254740992,"
		 "\"max\":0}]}",
		 "{ \"fields\" : { \"n\" : -9007199254740992 } }"},
		{"{\"category\":1,\"fields\":[{\"name\":\"e\",\"type\":\"enum\",\"values\":[\"a\","
		 "\"a value of some forty characters and more\"]}]}",
		 "{ \"fields\" : { \"e\" : \"a value of some forty characters and more\" } }"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_true(kh_answer_schema_bytes(query_of(t, all[i].query)) >= strlen(all[i].longest));
	assert_true(kh_answer_schema_bytes(query_of(t, "{\"category\":3,\"directive\":\"Say.\",\"max_words\":500}")) >
		    500 * KH_ANSWER_WORD);
}

static struct kh_view restored(struct kh_test *t, const char *query, const char *said)
{
	struct kh_view text;
	yyjson_val *val;

	must(t, kh_json_read(&t->arena, kh_view_str(said), &val, &t->err));
	must(t, kh_answer_schema_restore(&t->arena, query_of(t, query), val, &text));
	return text;
}

/* Answers by id become a list; all else stays as it was said, for the judge. */
static void test_restored(struct kh_test *t)
{
	static const char two[] = "{\"category\":2,\"questions\":[{\"id\":\"q1\",\"question\":\"Who?\",\"expected_"
				  "format\":\"person_name\"}]}";
	static const char *const all[][3] = {
		{QUERY, "{\"fields\":{\"a\":true}}", "{\"fields\":{\"a\":true}}"},
		{QUERY, "{ \"fields\": {\"a\": -0, \"b\": 0, \"c\": 1.0, \"d\": 1e0, \"e\": -1}, \"x\": [1] }",
		 "{\"fields\":{\"a\":-0,\"b\":0,\"c\":1.0,\"d\":1.0,\"e\":-1},\"x\":[1]}"},
		{QUERY, "{\"answers\":{\"a\":\"b\"}}", "{\"answers\":{\"a\":\"b\"}}"},
		{two, "{\"answers\":{\"q1\":\"Ada\",\"q2\":[\"x\",\"y\"]},\"query_id\":\"r1\"}",
		 "{\"answers\":[{\"id\":\"q1\",\"answer\":\"Ada\"},{\"id\":\"q2\",\"answer\":[\"x\",\"y\"]}],"
		 "\"query_id\":\"r1\"}"},
		{two, "{\"answers\":[{\"id\":\"q1\",\"answer\":\"Ada\"}]}",
		 "{\"answers\":[{\"id\":\"q1\",\"answer\":\"Ada\"}]}"},
		{two, "{\"q1\":\"Ada\"}", "{\"q1\":\"Ada\"}"},
		{two, "{\"answers\":{}}", "{\"answers\":[]}"},
		{two, "{}", "{}"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_view(restored(t, all[i][0], all[i][1]), all[i][2]);
}

static const struct kh_test_case cases[] = {KH_TEST(test_fields), KH_TEST(test_answers), KH_TEST(test_summary),
					    KH_TEST(test_bytes), KH_TEST(test_restored)};
KH_TEST_MAIN(cases)
