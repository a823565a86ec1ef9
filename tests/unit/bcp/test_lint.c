#include "ask.h"
#include "core/bcp/lint.h"

/* The advice for a query as text. */
static struct kh_view advice(struct kh_test *t, const char *json)
{
	struct kh_query query = ask_good(t, json);
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	struct kh_view text;

	must(t, kh_json_write(&t->arena, kh_lint_query(&query, &t->arena, doc), &text));
	return text;
}

#define QUESTION(question, format)                                                                                  \
	"{\"category\":2,\"questions\":[{\"id\":\"q1\",\"question\":\"" question "\",\"expected_format\":\"" format \
	"\"}]}"
#define DIRECTIVE(directive) "{\"category\":3,\"max_words\":50,\"directive\":\"" directive "\"}"

/* B22: the better query is part of the advice, and is itself a good query. */
static void test_advice(struct kh_test *t)
{
	static const char *const all[][2] = {
		{QUESTION("Is the mail urgent?", "short_text"), "\"type\":\"boolean\""},
		{QUESTION("Is the mail urgent?", "yes_no"), "\"type\":\"boolean\""},
		{QUESTION("How many people attend?", "integer"), "\"type\":\"integer\""},
		{QUESTION("How many people attend?", "short_text"), "\"type\":\"integer\""},
		{QUESTION("What is the number of guests?", "integer"), "\"type\":\"integer\""},
		{DIRECTIVE("Tell me whether the mail is urgent."), "\"type\":\"boolean\""},
		{DIRECTIVE("Does it mention money?"), "\"type\":\"boolean\""},
		{DIRECTIVE("Give me the sender's name."), "\"expected_format\":\"person_name\""},
		{DIRECTIVE("What is the date of the meeting?"), "\"expected_format\":\"date\""},
		{DIRECTIVE("When is the meeting?"), "\"expected_format\":\"date\""},
		{DIRECTIVE("Count the attachments."), "\"type\":\"integer\""},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view text = advice(t, all[i][0]);
		if (kh_view_find(text, kh_view_str(all[i][1]), 0) == SIZE_MAX)
			fail_msg("%s: %.*s", all[i][0], KH_FMT(text));
		yyjson_val *root = NULL;
		struct kh_query better;
		struct kh_reasons errors;
		kh_reasons_init(&errors, &t->arena);
		must(t, kh_json_read(&t->arena, text, &root, &t->err));
		yyjson_val *query = kh_json_get(yyjson_arr_get_first(root), "query");
		must(t, kh_query_read(&t->arena, query, KH_QUERY_CHECK, &better, &errors));
		assert_int_equal(errors.n, 0);
	}
}

static void test_nothing_better(struct kh_test *t)
{
	static const char *const all[] = {
		QUESTION("What is the sender's full name?", "person_name"),
		QUESTION("What are the action items?", "short_list"),
		QUESTION("Is it urgent or is it low?", "short_text"),
		QUESTION("What date is the meeting scheduled for?", "date"),
		DIRECTIVE("Summarize the key findings of this document."),
		DIRECTIVE("Describe the mood of the letter and the reasons that the writer gives for it, in detail "
			  "please"),
		"{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"}]}",
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_view(advice(t, all[i]), "[]");
}

static const struct kh_test_case cases[] = {KH_TEST(test_advice), KH_TEST(test_nothing_better)};
KH_TEST_MAIN(cases)
