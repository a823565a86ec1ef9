/* I3: requests to chat completions, and what is taken out of the responses.  The wire is in tests/system/reader_models.
 */
#include "asking.h"

#include "reader/openai.h"

#define COMPLETION(content)                                                                          \
	"{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\"," \
	"\"content\":" content "}}]}"

static yyjson_val *request_of(struct kh_test *t, const struct kh_reader *reader)
{
	struct kh_reader_block block = seal(t, "b1", TASK, KH_LIT("A letter"));
	struct kh_reader_ask ask = ask_about(t, QUERY, &block, 1);
	struct kh_view message, body;
	yyjson_val *root;

	must(t, kh_model_message(&t->arena, &ask, &message, &t->err));
	must(t, kh_openai_request(&t->arena, reader, &ask, message, &body));
	must(t, kh_json_read(&t->arena, body, &root, &t->err));
	return root;
}

/* B16: a model is told why it is asked again, before anything that comes from outside. */
static void test_again(struct kh_test *t)
{
	struct kh_reader_block block = seal(t, "b1", TASK, KH_LIT("A letter"));
	struct kh_reader_ask ask = ask_about(t, QUERY, &block, 1);
	struct kh_view message;

	must(t, kh_model_message(&t->arena, &ask, &message, &t->err));
	assert_true(kh_view_starts(message, KH_LIT("The query:\n")));
	ask.again = KH_LIT("too_many_words");
	must(t, kh_model_message(&t->arena, &ask, &message, &t->err));
	assert_true(kh_view_starts(message, KH_LIT("This query is asked again. What came of the last try: "
						   "too_many_words\n\nThe query:\n")));
}

static yyjson_val *at(yyjson_val *root, const char *pointer)
{
	yyjson_val *val = yyjson_ptr_get(root, pointer);

	assert_non_null(val);
	return val;
}

static const struct kh_reader_settings of_far = {.model = KH_LIT_INIT("big"), .schema = true};
static const struct kh_reader far = {.driver = &kh_reader_openai, .settings = &of_far};

/* K4, E11: prompt, query, fence, schema; and no other member. */
static void test_request(struct kh_test *t)
{
	yyjson_val *root = request_of(t, &far);
	struct kh_view user = kh_json_str(at(root, "/messages/1/content"));

	assert_int_equal(yyjson_obj_size(root), 5);
	assert_view(kh_json_str(at(root, "/model")), "big");
	assert_int_equal(yyjson_arr_size(at(root, "/messages")), 2);
	assert_view(kh_json_str(at(root, "/messages/0/role")), "system");
	assert_true(
		kh_view_eq(kh_json_str(at(root, "/messages/0/content")), kh_model_prompt(&(struct kh_reader_ask){0})));
	assert_view(kh_json_str(at(root, "/messages/1/role")), "user");
	assert_true(kh_view_starts(user, KH_LIT("The query:\n{\"type\":\"bcp_query\",\"query_id\":\"" ASK "\"")));
	assert_true(kh_view_find(user, KH_LIT("\n<<<UNTRUSTED_EXTERNAL_CONTENT "), 0) != SIZE_MAX);
	assert_true(kh_view_find(user, KH_LIT("A letter"), 0) != SIZE_MAX);
	assert_view(kh_json_str(at(root, "/response_format/type")), "json_schema");
	assert_true(yyjson_is_true(at(root, "/response_format/json_schema/strict")));
	at(root, "/response_format/json_schema/schema/properties/fields/properties/a");
	assert_true(yyjson_is_false(at(root, "/stream")));
	assert_true(yyjson_get_uint(at(root, "/max_completion_tokens")) > KH_OPENAI_THINKING + KH_MODEL_TOKENS);
}

/* Strict endpoints refuse what they cannot enforce: the length of a string is in words there, and in the schema here.
 */
static void test_lengths(struct kh_test *t)
{
	struct kh_reader_settings settings = {.model = KH_LIT("m"), .local = true, .schema = true};
	struct kh_reader near = {.settings = &settings};
	const struct kh_query *query = query_of(t, "{\"category\":3,\"directive\":\"Say.\",\"max_words\":2}");
	struct kh_view body;

	must(t, kh_openai_request(&t->arena, &far, &(struct kh_reader_ask){.query = query}, KH_LIT("x"), &body));
	assert_true(kh_view_find(body, KH_LIT("maxLength"), 0) == SIZE_MAX);
	assert_true(kh_view_find(body, KH_LIT("at most 2 words"), 0) != SIZE_MAX);
	must(t, kh_openai_request(&t->arena, &near, &(struct kh_reader_ask){.query = query}, KH_LIT("x"), &body));
	assert_true(kh_view_find(body, KH_LIT("\"maxLength\":81}"), 0) != SIZE_MAX);
}

/* A server that knows no schema is told it in words; a limit of one's own is the limit. */
static void test_request_plain(struct kh_test *t)
{
	struct kh_reader_settings settings = {.model = KH_LIT("m"), .local = true, .max_tokens = 9};
	struct kh_reader near = {.settings = &settings};
	yyjson_val *root = request_of(t, &near);
	struct kh_view system = kh_json_str(at(root, "/messages/0/content"));

	assert_view(kh_json_str(at(root, "/response_format/type")), "json_object");
	assert_null(yyjson_ptr_get(root, "/response_format/json_schema"));
	assert_true(kh_view_starts(system, kh_model_prompt(&(struct kh_reader_ask){0})));
	assert_true(kh_view_find(system, KH_LIT("JSON Schema describes:\n{\"type\":\"object\""), 0) != SIZE_MAX);
	assert_int_equal(yyjson_get_uint(at(root, "/max_completion_tokens")), 9);
}

/* E10: nothing is asked about content that is not what was sealed. */
static void test_changed(struct kh_test *t)
{
	struct kh_reader_block block = seal(t, "b1", TASK, KH_LIT("A letter"));
	struct kh_reader_ask ask = ask_about(t, QUERY, &block, 1);
	struct kh_tainted response;
	enum kh_reader_fault fault;
	struct kh_view detail;

	block.content = kh_tainted_wrap(KH_LIT("Another letter"));
	must(t, far.driver->ask(&far, &t->arena, &ask, &response, &fault, &detail));
	assert_int_equal(fault, KH_READER_CHANGED);
	assert_true(kh_view_starts(detail, KH_LIT("block b1: ")));
	block = seal(t, "b1", TASK, KH_LIT("A letter"));
	must(t, far.driver->ask(&far, &t->arena, &ask, &response, &fault, &detail)); /* no executor, no URL */
	assert_int_equal(fault, KH_READER_DEAD);
	assert_view(detail, "it is not configured so that it could be asked");
}

static const struct {
	const char *body, *wanted, *why; /* WANTED: the answer, or NULL and why */
} responses[] = {
	{COMPLETION("\"{\\\"fields\\\":{\\\"a\\\":true}}\""), "{\"fields\":{\"a\":true}}", ""},
	{COMPLETION("\" \\n{\\\"fields\\\":{\\\"a\\\":true}}\\n\""), "{\"fields\":{\"a\":true}}", ""},
	{COMPLETION("\"```json\\n{\\\"x\\\":1}\\n```\""), "{\"x\":1}", ""},
	{COMPLETION("\"```\\n{\\\"x\\\":1}\\n```\\n\""), "{\"x\":1}", ""},
	{COMPLETION("\"{}\""), "{}", ""},
	{"{\"choices\":[{\"message\":{\"content\":\"{}\"}}]}", "{}", ""},
	{"{\"choices\":[{\"finish_reason\":null,\"message\":{\"content\":\"{}\",\"tool_calls\":[],\"refusal\":\"\"}}]}",
	 "{}", ""},
	{COMPLETION("\"```\""), NULL, "not a JSON object"},
	{COMPLETION("\"```\\n```\""), NULL, "not a JSON object"},
	{COMPLETION("\"```json {} ```\""), NULL, "not a JSON object"},
	{COMPLETION("\"{}{}\""), NULL, "not a JSON object"},
	{COMPLETION("\"{} and so on\""), NULL, "not a JSON object"},
	{COMPLETION("\"{\\\"a\\\":1,\\\"a\\\":2}\""), NULL, "not a JSON object"},
	{COMPLETION("\"true\""), NULL, "not a JSON object"},
	{COMPLETION("{}"), NULL, "empty"},
	{COMPLETION("null"), NULL, "empty"},
	{COMPLETION("[{\"type\":\"text\",\"text\":\"{}\"}]"), NULL, "empty"},
	{"", NULL, "not JSON"},
	{"null", NULL, "no choices"},
	{"{\"choices\":{}}", NULL, "no choices"},
	{"{\"choices\":[7]}", NULL, "no choices"},
	{"{\"choices\":[{}]}", NULL, "no message"},
	{"{\"choices\":[{\"index\":\"0\"}]}", NULL, "not choice 0"},
	{"{\"choices\":[{\"index\":-0}]}", NULL, "not choice 0"},
	{"{\"choices\":[{\"finish_reason\":7,\"message\":{\"content\":\"{}\"}}]}", NULL, "not known"},
	{"{\"choices\":[{\"message\":{\"content\":\"{}\",\"function_call\":{\"name\":\"x\"}}}]}", NULL, "calls a tool"},
	{"{\"choices\":[{\"message\":{\"content\":\"{}\",\"refusal\":true}}]}", NULL, "refused"},
	{"{\"error\":\"no\",\"choices\":[{\"message\":{\"content\":\"{}\"}}]}", NULL, "error and status 200"},
};

/* B4: an answer out of the first choice, or why there is none; nothing of the server's own words in that. */
static void test_responses(struct kh_test *t)
{
	const struct kh_query *query = query_of(t, QUERY);

	for (size_t i = 0; i < sizeof(responses) / sizeof(responses[0]); i++) {
		struct kh_tainted response, body = kh_tainted_wrap(kh_view_str(responses[i].body));
		struct kh_view why;
		must(t, kh_model_answer(&t->arena, query, body, kh_openai_find, &response, &why));
		if (kh_view_find(why, kh_view_str(responses[i].why), 0) == SIZE_MAX)
			print_error("%s: %.*s\n", responses[i].body, KH_FMT(why));
		assert_true(kh_view_find(why, kh_view_str(responses[i].why), 0) != SIZE_MAX);
		assert_int_equal(why.n == 0, responses[i].wanted != NULL);
		if (responses[i].wanted != NULL)
			assert_view(kh_tainted_open(response), responses[i].wanted);
		else
			assert_null(kh_tainted_open(response).p);
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_again),   KH_TEST(test_request),
					    KH_TEST(test_lengths), KH_TEST(test_request_plain),
					    KH_TEST(test_changed), KH_TEST(test_responses)};
KH_TEST_MAIN(cases)
