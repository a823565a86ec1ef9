#include "harness.h"
#include "rpc/rpc.h"

#include <stdio.h>

static yyjson_val *json(struct kh_test *t, const char *text)
{
	yyjson_val *root = NULL;

	must(t, kh_json_read(&t->arena, kh_view_str(text), &root, &t->err));
	return root;
}

/* I1: requests, notifications and responses, by what they have. */
static void test_kinds(struct kh_test *t)
{
	struct kh_rpc rpc;

	must(t, kh_rpc_read(json(t, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\",\"params\":{}}"), &rpc,
			    &t->err));
	assert_int_equal(rpc.kind, KH_RPC_REQUEST);
	assert_view(rpc.method, "ping");
	assert_view(kh_json_str(rpc.id), "a");
	must(t, kh_rpc_read(json(t, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}"), &rpc, &t->err));
	assert_int_equal(rpc.kind, KH_RPC_NOTIFICATION);
	assert_null(rpc.id);
	assert_null(rpc.params);
	must(t, kh_rpc_read(json(t, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":null}"), &rpc, &t->err));
	assert_int_equal(rpc.kind, KH_RPC_RESPONSE);
	assert_non_null(rpc.result);
	must(t, kh_rpc_read(json(t, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1}}"), &rpc, &t->err));
	assert_int_equal(rpc.kind, KH_RPC_RESPONSE);
	assert_null(rpc.id);
}

/* I1: what is no message of MCP is refused; its id is still known where it has one. */
static void test_bad(struct kh_test *t)
{
	static const struct {
		const char *text, *code;
		bool id;
	} bad[] = {
		{"[]", "bad_message", false},
		{"7", "bad_message", false},
		{"{}", "bad_message", false},
		{"{\"id\":1,\"method\":\"ping\"}", "bad_message", true},
		{"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", "bad_message", true},
		{"{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", "bad_message", true},
		{"{\"jsonrpc\":\"2.0\",\"id\":1}", "bad_message", true},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", "bad_message", true},
		{"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", "bad_message", false},
		{"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", "bad_message", false},
		{"{\"jsonrpc\":\"2.0\",\"id\":-0,\"method\":\"ping\"}", "bad_message", false},
		{"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", "bad_message", false},
		{"{\"jsonrpc\":\"2.0\",\"id\":18446744073709551615,\"method\":\"ping\"}", "bad_message", false},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", "bad_params", true},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}", "bad_params", true},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"error\":{}}", "bad_message", true},
		{"{\"jsonrpc\":\"2.0\",\"result\":1}", "bad_message", false},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"no\"}", "bad_message", true},
	};
	struct kh_rpc rpc;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		must_fail(t, KH_EINPUT, kh_rpc_read(json(t, bad[i].text), &rpc, &t->err));
		assert_string_equal(t->err.code, bad[i].code);
		assert_int_equal(rpc.id != NULL, bad[i].id);
	}
}

/* I1: an id comes back as it was sent; one that is too long, written out, is none. */
static void test_token(struct kh_test *t)
{
	static const char *const good[] = {"1", "-7", "9223372036854775807", "\"a\"", "\"\"", "\"\\n\\\"\""};
	char text[512] = "\"";
	size_t n = 1;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct kh_view v = kh_rpc_token(&t->arena, json(t, good[i]));
		must(t, kh_arena_check(&t->arena));
		assert_view(v, good[i]);
	}
	for (int i = 0; i < 60; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "\\u0001");
	snprintf(text + n, sizeof(text) - n, "\"");
	assert_int_equal(kh_rpc_token(&t->arena, json(t, text)).n, 0);
	assert_int_equal(kh_rpc_token(&t->arena, json(t, "1.0")).n, 0);
	assert_int_equal(kh_rpc_token(&t->arena, NULL).n, 0);
	must(t, kh_arena_check(&t->arena));
}

/* I1: an operation's failure as an error of JSON-RPC: its code in `data`, and what HTTP says. */
static void test_failures(struct kh_test *t)
{
	static const struct {
		enum kh_err e;
		const char *code;
		int rpc;
		unsigned status;
	} all[] = {
		{KH_EINPUT, "bad_params", -32602, 200},     {KH_ELIMIT, "too_long", -32602, 200},
		{KH_EUNKNOWN, "unknown_task", -32602, 200}, {KH_EREFUSED, "bad_state", -32602, 200},
		{KH_EREFUSED, "unauthorised", -32600, 401}, {KH_EREFUSED, "forbidden", -32600, 403},
		{KH_ESTORE, "store", -32603, 503},          {KH_ENOMEM, "out_of_memory", -32603, 500},
		{KH_ECHANGED, "changed", -32603, 200},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_error err = {
			.code = all[i].code, .offset = SIZE_MAX, .member = "a.b", .detail = "a sentence"};
		yyjson_mut_doc *doc = kh_json_new(&t->arena);
		struct kh_rpc_fault fault = kh_rpc_failed(doc, &t->arena, all[i].e, &err);
		struct kh_view text;
		must(t, kh_rpc_error(&t->arena, doc, KH_LIT("\"x\""), &fault, &text));
		yyjson_val *root = json(t, text.p);
		yyjson_val *error = kh_json_get(root, "error");
		assert_view(kh_json_str(kh_json_get(root, "id")), "x");
		assert_int_equal(yyjson_get_sint(kh_json_get(error, "code")), all[i].rpc);
		assert_view(kh_json_str(kh_json_get(error, "message")), "a sentence");
		assert_view(kh_json_str(kh_json_get(kh_json_get(error, "data"), "code")), all[i].code);
		assert_view(kh_json_str(kh_json_get(kh_json_get(error, "data"), "member")), "a.b");
		assert_int_equal(fault.status, all[i].status);
	}
}

/* I1: results and calls are one line each; without memory there still is an answer. */
static void test_written(struct kh_test *t)
{
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	struct kh_view text;
	char bytes[512];

	must(t, kh_rpc_result(&t->arena, doc, KH_LIT("7"), yyjson_mut_obj(doc), &text));
	assert_view(text, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
	must(t, kh_rpc_call(&t->arena, doc, KH_LIT(""), "notifications/x", NULL, &text));
	assert_view(text, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}");
	must(t, kh_rpc_call(&t->arena, doc, KH_LIT("3"), "roots/list", yyjson_mut_obj(doc), &text));
	assert_view(text, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"roots/list\",\"params\":{}}");
	assert_view(kh_rpc_last_resort(bytes, sizeof(bytes), KH_LIT("\"a\"")),
		    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32603,\"message\":\"out of memory\"}}");
	assert_view(kh_rpc_last_resort(bytes, sizeof(bytes), KH_LIT("")),
		    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\"out of memory\"}}");
}

static const struct kh_test_case cases[] = {KH_TEST(test_kinds), KH_TEST(test_bad), KH_TEST(test_token),
					    KH_TEST(test_failures), KH_TEST(test_written)};
KH_TEST_MAIN(cases)
