#include "ask.h"
#include "core/bcp/message.h"

/* B24: what the Reader is sent has the query's id and form, and nothing about repetition or approval. */
static void test_query(struct kh_test *t)
{
	struct kh_query query = ask_good(
		t, "{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"boolean\",\"repeat\":2}]}");
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	struct kh_view text;

	must(t, kh_arena_check(&t->arena));
	must(t, kh_json_write(&t->arena, kh_message_query(doc, &query, KH_LIT("q-1"), KH_LIT("planner")), &text));
	assert_view(text, "{\"type\":\"bcp_query\",\"query_id\":\"q-1\",\"from_agent\":\"planner\",\"category\":1,"
			  "\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"}]}");
	query = ask_good(t, "{\"category\":3,\"directive\":\"Sum up.\",\"max_words\":9}");
	must(t, kh_json_write(&t->arena, kh_message_query(doc, &query, KH_LIT("q-2"), KH_LIT("planner")), &text));
	assert_view(text, "{\"type\":\"bcp_query\",\"query_id\":\"q-2\",\"from_agent\":\"planner\",\"category\":3,"
			  "\"directive\":\"Sum up.\",\"max_words\":9}");
}

/* B23, B24, K4: a delivery is labelled untrusted with its taint, and does not say that it is safe. */
static void test_delivery(struct kh_test *t)
{
	struct kh_query query = ask_good(t, "{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"}]}");
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	struct kh_answer answer;
	struct kh_view text;

	must(t, kh_arena_check(&t->arena));
	must(t, kh_answer_judge(NULL, &t->arena, &query, kh_tainted_wrap(KH_LIT("{\"a\":true}")), (struct kh_recent){0},
				&answer));
	must(t, kh_json_write(&t->arena,
			      kh_message_delivered(doc, query.category, kh_answer_write(&answer, &query, doc),
						   KH_LIT("q-1"), KH_LIT("reader"), KH_TAINT_MEDIUM),
			      &text));
	assert_view(text,
		    "{\"type\":\"bcp_response_delivery\",\"query_id\":\"q-1\",\"category\":1,\"from_agent\":\"reader\","
		    "\"response\":{\"fields\":{\"a\":true}},\"trust\":\"untrusted\",\"taint\":\"medium\"}");
	assert_int_equal(kh_view_find(text, KH_LIT("safe"), 0), SIZE_MAX);
}

/* B4: a Reader answers and does nothing else. */
static void test_response(struct kh_test *t)
{
	struct kh_view id;
	yyjson_val *body;

	must(t, kh_message_read_response(
			&t->arena,
			kh_tainted_wrap(KH_LIT("{\"type\":\"bcp_response\",\"query_id\":\"q\",\"response\":"
					       "{\"a\":true}}")),
			&id, &body, &t->err));
	assert_view(id, "q");
	assert_true(yyjson_is_true(kh_json_get(body, "a")));
	must(t, kh_message_read_response(&t->arena,
					 kh_tainted_wrap(KH_LIT("{\"query_id\":\"q\",\"fields\":{\"a\":true}}")), &id,
					 &body, &t->err));
	assert_non_null(kh_json_get(body, "fields"));
	static const char *const bad[] = {
		"{\"type\":\"bcp_query_request\",\"query_id\":\"q\"}",
		"{\"type\":\"bcp_subscription\",\"query_id\":\"q\"}",
		"{\"type\":\"bcp_response\",\"query_id\":\"q\",\"response\":{\"a\":true},\"subscriptions\":[]}",
		"{\"type\":\"bcp_response\",\"query_id\":\"q\",\"response\":{\"a\":true},\"fields\":{\"a\":false}}",
		"{\"fields\":{}}",
		"[]",
		"7",
		"{\"query_id\":7}",
		"{\"query_id\":\"\"}",
		"nonsense"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		must_fail(
			t, KH_EINPUT,
			kh_message_read_response(&t->arena, kh_tainted_wrap(kh_view_str(bad[i])), &id, &body, &t->err));
}

static const struct kh_test_case cases[] = {KH_TEST(test_query), KH_TEST(test_delivery), KH_TEST(test_response)};
KH_TEST_MAIN(cases)
