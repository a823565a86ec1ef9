/* I3: requests to the Messages API, and what is taken out of the responses.  The wire is in tests/system/reader_models.
 */
#include "asking.h"

#include "reader/anthropic.h"

#define MESSAGE(stop, content) \
	"{\"type\":\"message\",\"role\":\"assistant\",\"stop_reason\":\"" stop "\",\"content\":[" content "]}"
#define CALL(input) "{\"type\":\"tool_use\",\"id\":\"u\",\"name\":\"answer\",\"input\":" input "}"
#define TEXT        "{\"type\":\"text\",\"text\":\"Well.\"}"

static yyjson_val *at(yyjson_val *root, const char *pointer)
{
	yyjson_val *val = yyjson_ptr_get(root, pointer);

	assert_non_null(val);
	return val;
}

/* K4, E11: prompt, query, fence, and one tool that must be called; no other member. */
static void test_request(struct kh_test *t)
{
	struct kh_reader_settings settings = {.model = KH_LIT("big"), .max_tokens = 12};
	struct kh_reader reader = {.settings = &settings};
	struct kh_reader_block block = seal(t, "b1", TASK, KH_LIT("A letter"));
	struct kh_reader_ask ask = ask_about(t, QUERY, &block, 1);
	struct kh_view message, body;
	yyjson_val *root;

	must(t, kh_model_message(&t->arena, &ask, &message, &t->err));
	must(t, kh_anthropic_request(&t->arena, &reader, &ask, message, &body));
	must(t, kh_json_read(&t->arena, body, &root, &t->err));
	assert_int_equal(yyjson_obj_size(root), 7);
	assert_view(kh_json_str(at(root, "/model")), "big");
	assert_int_equal(yyjson_get_uint(at(root, "/max_tokens")), 12);
	assert_true(kh_view_eq(kh_json_str(at(root, "/system")), kh_model_prompt(&(struct kh_reader_ask){0})));
	assert_int_equal(yyjson_arr_size(at(root, "/messages")), 1);
	assert_view(kh_json_str(at(root, "/messages/0/role")), "user");
	assert_true(kh_view_eq(kh_json_str(at(root, "/messages/0/content")), message));
	assert_true(kh_view_find(message, KH_LIT("A letter"), 0) != SIZE_MAX);
	assert_int_equal(yyjson_arr_size(at(root, "/tools")), 1);
	assert_view(kh_json_str(at(root, "/tools/0/name")), KH_ANTHROPIC_TOOL);
	at(root, "/tools/0/input_schema/properties/fields/properties/a");
	assert_view(kh_json_str(at(root, "/tool_choice/type")), "tool");
	assert_view(kh_json_str(at(root, "/tool_choice/name")), KH_ANTHROPIC_TOOL);
	assert_true(yyjson_is_false(at(root, "/stream")));
}

static const struct {
	const char *body, *wanted, *why; /* WANTED: the answer, or NULL and why */
} responses[] = {
	{MESSAGE("tool_use", CALL("{\"fields\":{\"a\":true}}")), "{\"fields\":{\"a\":true}}", ""},
	{MESSAGE("end_turn", TEXT "," CALL("{}")), "{}", ""},
	{MESSAGE("tool_use", CALL("{\"fields\":{\"a\":-0}}")), "{\"fields\":{\"a\":-0}}", ""},
	{MESSAGE("tool_use", "7," CALL("{}") ",null"), "{}", ""},
	{MESSAGE("tool_use", CALL("[]")), NULL, "not a JSON object"},
	{MESSAGE("tool_use", CALL("\"{}\"")), NULL, "not a JSON object"},
	{MESSAGE("tool_use", "{\"type\":\"tool_use\",\"name\":\"answer\"}"), NULL, "not a JSON object"},
	{MESSAGE("tool_use", CALL("{}") "," CALL("{}")), NULL, "more than once"},
	{MESSAGE("tool_use", CALL("{}") ",{\"type\":\"tool_use\",\"name\":\"bash\"}"), NULL, "does not have"},
	{MESSAGE("tool_use", "{\"type\":\"tool_use\",\"input\":{}}"), NULL, "does not have"},
	{MESSAGE("end_turn", TEXT), NULL, "did not call"},
	{MESSAGE("end_turn", ""), NULL, "did not call"},
	{MESSAGE("max_tokens", CALL("{}")), NULL, "cut at the limit"},
	{MESSAGE("refusal", CALL("{}")), NULL, "refused"},
	{MESSAGE("pause_turn", CALL("{}")), NULL, "not known"},
	{"{\"type\":\"message\",\"role\":\"assistant\",\"content\":[" CALL("{}") "]}", NULL, "not known"},
	{"{\"type\":\"message\",\"role\":\"user\",\"stop_reason\":\"tool_use\",\"content\":[" CALL("{}") "]}", NULL,
	 "not a message"},
	{"{\"type\":\"message\",\"role\":\"assistant\",\"stop_reason\":\"end_turn\",\"content\":\"x\"}", NULL,
	 "not a message"},
	{"{\"type\":\"error\",\"error\":{\"message\":\"x\"}}", NULL, "not a message"},
	{"[]", NULL, "not a message"},
	{"", NULL, "not JSON"},
	{"{\"type\":\"message\",\"type\":\"message\"}", NULL, "not JSON"},
};

/* B4: the input of one call, or why there is none; nothing of the server's own words in that. */
static void test_responses(struct kh_test *t)
{
	const struct kh_query *query = query_of(t, QUERY);

	for (size_t i = 0; i < sizeof(responses) / sizeof(responses[0]); i++) {
		struct kh_tainted response, body = kh_tainted_wrap(kh_view_str(responses[i].body));
		struct kh_view why;
		must(t, kh_model_answer(&t->arena, query, body, kh_anthropic_find, &response, &why));
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

static const struct kh_test_case cases[] = {KH_TEST(test_request), KH_TEST(test_responses)};
KH_TEST_MAIN(cases)
