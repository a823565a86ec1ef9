#include "talk.h"

#include "engine/context/token.h"
#include "engine/task/revoke.h"

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
#define LIST "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"

/* I1: what is no JSON, no message, or no request that is known, is answered with what is wrong. */
static void test_bad_messages(struct kh_test *t)
{
	static const struct {
		const char *text;
		int code;
		unsigned status;
	} bad[] = {
		{"", -32700, 400},
		{"{", -32700, 400},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", -32700, 400},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x", -32700, 400},
		{"\"ping\"", -32600, 400},
		{"{\"id\":1,\"method\":\"ping\"}", -32600, 400},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[]}", -32602, 400},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\",\"params\":{}}", -32601, 200},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", -32602, 200},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":7}}", -32602, 200},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"task_open\","
		 "\"arguments\":[]}}",
		 -32602, 200},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\"}", -32602, 200},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":1}}", -32602, 200},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\",\"params\":{\"cursor\":1}}", -32602, 200},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}", -32602, 200},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"loud\"}}",
		 -32602, 200},
	};
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));

	kh_talk_begin(talk, talk->peer, "2025-11-25", "{}");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		yyjson_val *answer = kh_talk_ask(talk, talk->peer, bad[i].text);
		assert_int_equal(kh_talk_code(answer), bad[i].code);
		assert_int_equal(kh_talk_status(talk), bad[i].status);
		assert_true(kh_talk_text(answer, "error.message").n > 0);
	}
	kh_talk_close(talk);
}

/* I1: nothing but ping is answered before `initialize`; a second one is refused. */
static void test_before_initialize(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));

	assert_int_equal(kh_talk_code(kh_talk_ask(talk, talk->peer, LIST)), -32600);
	assert_int_equal(kh_talk_status(talk), 400);
	assert_non_null(kh_talk_at(kh_talk_ask(talk, talk->peer, PING), "result"));
	kh_talk_begin(talk, talk->peer, "2025-06-18", "{}");
	assert_int_equal(kh_talk_code(kh_talk_ask(talk, talk->peer,
						  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
						  "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}}")),
			 -32600);
	assert_non_null(kh_talk_at(kh_talk_ask(talk, talk->peer, LIST), "result.tools.0"));
	kh_talk_close(talk);
}

/* I1: notifications and responses that nobody waits for are taken and answered by nothing. */
static void test_no_answer(struct kh_test *t)
{
	static const char *const silent[] = {
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":77}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/no_such_thing\",\"params\":{\"a\":1}}",
		"{\"jsonrpc\":\"2.0\",\"id\":12,\"result\":{}}",
		"{\"jsonrpc\":\"2.0\",\"id\":\"12\",\"error\":{\"code\":1,\"message\":\"no\"}}",
	};
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));

	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
		assert_null(kh_talk_ask(talk, talk->peer, silent[i]));
		assert_int_equal(kh_talk_status(talk), 202);
	}
	kh_talk_close(talk);
}

/* SPEC 1, I1: the token decides, at every request: an unknown one gets nothing, a revoked one no more. */
static void test_tokens(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	struct kh_mcp_peer *nobody = kh_talk_peer(talk, KH_LIT("kh-t0000000000000000-00"));
	struct kh_revoke revoke = {.id = kh_fixture_token_id(talk->f->controller)};
	static const char *const asks[] = {
		PING,
		("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-"
		 "18\","
		 "\"capabilities\":{}}}"),
		LIST,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"task_open\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"no_such\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/list\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/templates/list\"}",
	};

	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		yyjson_val *answer = kh_talk_ask(talk, nobody, asks[i]);
		assert_view(kh_talk_text(answer, "error.data.code"), "unauthorised");
		assert_int_equal(kh_talk_status(talk), 401);
	}
	kh_mcp_peer_drop(nobody);
	kh_talk_begin(talk, talk->peer, "2025-06-18", "{}");
	assert_non_null(kh_talk_at(kh_talk_ask(talk, talk->peer, kh_talk_tool(talk, 5, "task_open", "{}", "")),
				   "result.structuredContent"));
	must(t, kh_fixture_call(talk->f, talk->f->admin, kh_revoke_run, &revoke));
	for (size_t i = 2; i < sizeof(asks) / sizeof(asks[0]); i++) {
		yyjson_val *answer = kh_talk_ask(talk, talk->peer, asks[i]);
		assert_view(kh_talk_text(answer, "error.data.code"), "unauthorised");
	}
	kh_talk_close(talk);
}

/* I1: a batch of 2025-03-26 is answered by one array, in which every request has its answer; other versions have none.
 */
static void test_batches(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	struct kh_mcp_peer *other = kh_talk_peer(talk, talk->f->hosted);
	const char *batch = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
			    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},"
			    "{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"tools/list\"},7,"
			    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"no/such\"},"
			    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"initialize\",\"params\":{}}]";
	unsigned seen = 0;
	yyjson_val *item;

	assert_int_equal(kh_talk_code(kh_talk_ask(talk, talk->peer, batch)), -32600);
	kh_talk_begin(talk, talk->peer, "2025-03-26", "{}");
	yyjson_val *answer = kh_talk_ask(talk, talk->peer, batch);
	assert_int_equal(yyjson_arr_size(answer), 5);
	assert_int_equal(kh_talk_status(talk), 200);
	yyjson_arr_iter iter = yyjson_arr_iter_with(answer);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		yyjson_val *id = kh_json_get(item, "id");
		if (yyjson_is_str(id))
			seen |= kh_talk_at(item, "result.tools.0") != NULL ? 1U : 0;
		else if (yyjson_is_null(id))
			seen |= kh_talk_code(item) == -32600 ? 2U : 0;
		else if (yyjson_get_int(id) == 1)
			seen |= kh_talk_at(item, "result") != NULL ? 4U : 0;
		else if (yyjson_get_int(id) == 3)
			seen |= kh_talk_code(item) == -32601 ? 8U : 0;
		else if (yyjson_get_int(id) == 4)
			seen |= kh_talk_code(item) == -32600 ? 16U : 0;
	}
	assert_int_equal(seen, 31);
	/* B17: in the order of the requests, whichever was answered first; the third needs no look at anything. */
	assert_int_equal(yyjson_get_int(kh_talk_at(answer, "0.id")), 1);
	assert_true(yyjson_equals_str(kh_talk_at(answer, "1.id"), "b"));
	assert_true(yyjson_is_null(kh_talk_at(answer, "2.id")));
	assert_int_equal(yyjson_get_int(kh_talk_at(answer, "3.id")), 3);
	assert_null(kh_talk_ask(talk, talk->peer, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]"));
	assert_int_equal(kh_talk_status(talk), 202);
	assert_int_equal(kh_talk_code(kh_talk_ask(talk, talk->peer, "[]")), -32600);
	kh_talk_begin(talk, other, "2025-06-18", "{}");
	assert_int_equal(kh_talk_code(kh_talk_ask(talk, other, batch)), -32600);
	kh_mcp_peer_drop(other);
	kh_talk_close(talk);
}

/* I1: a batch has a bound. */
static void test_long_batch(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	struct kh_buf buf;
	struct kh_view text;

	kh_talk_begin(talk, talk->peer, "2025-03-26", "{}");
	kh_buf_init(&buf, &talk->f->arena, 1U << 20);
	for (int i = 0; i < 65; i++)
		kh_buf_printf(&buf, "%c{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}", i == 0 ? '[' : ',', i);
	kh_buf_printf(&buf, "]%c", 0);
	assert_int_equal(kh_buf_end(&buf, &text), KH_OK);
	assert_int_equal(kh_talk_code(kh_talk_ask(talk, talk->peer, text.p)), -32600);
	kh_talk_close(talk);
}

/* Both generations on one connection: a request with the `_meta` of 2026-07-28 needs no `initialize` (I1). */
static void test_both(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	yyjson_val *answer = kh_talk_ask(talk, talk->peer, kh_talk_modern(talk, 1, "tools/list", "", "{}"));

	assert_view(kh_talk_text(answer, "result.resultType"), "complete");
	assert_int_equal(kh_talk_code(kh_talk_ask(talk, talk->peer, LIST)), -32600);
	kh_talk_begin(talk, talk->peer, "2025-11-25", "{}");
	answer = kh_talk_ask(talk, talk->peer, LIST);
	assert_non_null(kh_talk_at(answer, "result.tools.0"));
	assert_null(kh_talk_at(answer, "result.resultType"));
	answer = kh_talk_ask(talk, talk->peer, kh_talk_modern(talk, 2, "tools/list", "", "{}"));
	assert_view(kh_talk_text(answer, "result.resultType"), "complete");
	kh_talk_close(talk);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_bad_messages), KH_TEST_ONCE(test_before_initialize), KH_TEST_ONCE(test_no_answer),
	KH_TEST_ONCE(test_tokens),       KH_TEST_ONCE(test_batches),           KH_TEST_ONCE(test_long_batch),
	KH_TEST_ONCE(test_both),
};
KH_TEST_MAIN(cases)
