#include "talk.h"

#include "mcp/headers.h"
#include "mcp/listen.h"

/* What HTTP would have said beside the message. */
static struct kh_mcp_headers headers(const char *version, const char *method, const char *name)
{
	struct kh_view none = {NULL, 0};

	return (struct kh_mcp_headers){
		.version = version != NULL ? kh_view_str(version) : none,
		.method = method != NULL ? kh_view_str(method) : none,
		.name = name != NULL ? kh_view_str(name) : none,
	};
}

/* I1: server/discover says what is spoken and who we are, to a client that has not said a word before. */
static void test_discover(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	yyjson_val *answer = kh_talk_ask(talk, talk->peer, kh_talk_modern(talk, 9, "server/discover", "", "{}"));
	yyjson_val *info = kh_json_get(kh_talk_at(answer, "result._meta"), "io.modelcontextprotocol/serverInfo");

	assert_view(kh_talk_text(answer, "result.supportedVersions.0"), "2026-07-28");
	assert_non_null(kh_talk_at(answer, "result.capabilities.tools"));
	assert_view(kh_talk_text(answer, "result.resultType"), "complete");
	assert_view(kh_talk_text(answer, "result.cacheScope"), "private");
	assert_true(yyjson_get_int(kh_talk_at(answer, "result.ttlMs")) >= 0);
	assert_view(kh_json_str(kh_json_get(info, "name")), "keyhole");
	kh_talk_close(talk);
}

/* I1: lists and reads say how long they may be kept, other results do not; no result is without its type. */
static void test_dress(struct kh_test *t)
{
	static const struct {
		const char *method, *params;
		bool kept;
	} all[] = {
		{"tools/list", "", true},
		{"prompts/list", "", true},
		{"resources/list", "", true},
		{"resources/templates/list", "", true},
		{"resources/read", "\"uri\":\"keyhole://tasks\"", true},
		{"tools/call", "\"name\":\"task_open\",\"arguments\":{}", false},
	};
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		yyjson_val *answer = kh_talk_ask(talk, talk->peer,
						 kh_talk_modern(talk, 1, all[i].method, all[i].params, "{}"));
		assert_view(kh_talk_text(answer, "result.resultType"), "complete");
		assert_int_equal(yyjson_is_int(kh_talk_at(answer, "result.ttlMs")), all[i].kept);
		assert_int_equal(kh_talk_text(answer, "result.cacheScope").n > 0, all[i].kept);
	}
	kh_talk_close(talk);
}

/* I1: what the generation does not have is not found, and its `_meta` is not optional. */
static void test_refused(struct kh_test *t)
{
	static const char *const gone[] = {
		"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "no/such"};
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));

	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
		yyjson_val *answer = kh_talk_ask(talk, talk->peer, kh_talk_modern(talk, 4, gone[i], "", "{}"));
		assert_int_equal(kh_talk_code(answer), -32601);
		assert_int_equal(kh_talk_status(talk), 404);
		assert_int_equal(yyjson_get_int(kh_talk_at(answer, "id")), 4);
	}
	yyjson_val *answer = kh_talk_ask(talk, talk->peer,
					 "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"server/discover\"}");
	assert_int_equal(kh_talk_code(answer), -32602);
	assert_int_equal(kh_talk_status(talk), 400);
	answer = kh_talk_ask(talk, talk->peer,
			     "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
			     "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}");
	assert_int_equal(kh_talk_code(answer), -32602);
	answer = kh_talk_ask(talk, talk->peer, kh_talk_modern(talk, 5, "tools/list", "", "[]"));
	assert_int_equal(kh_talk_code(answer), -32602);
	kh_talk_close(talk);
}

/* I1: a version that is not spoken is named back, with those that are. */
static void test_versions(struct kh_test *t)
{
	static const char *const versions[] = {"v999.0.0", "2025-11-25", ""};
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		struct kh_view message = kh_arena_printf(
			&talk->f->arena,
			"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
			"\"io.modelcontextprotocol/protocolVersion\":\"%s\","
			"\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
			versions[i]);
		yyjson_val *answer = kh_talk_ask(talk, talk->peer, message.p);
		assert_int_equal(kh_talk_code(answer), -32022);
		assert_int_equal(kh_talk_status(talk), 400);
		assert_view(kh_talk_text(answer, "error.data.requested"), versions[i]);
		assert_view(kh_talk_text(answer, "error.data.supported.0"), "2026-07-28");
	}
	kh_talk_close(talk);
}

/* I1: headers that say another thing than the body are refused, whichever it is; those that agree are not. */
static void test_headers(struct kh_test *t)
{
	static const struct {
		const char *version, *method, *name;
		int code;
	} all[] = {
		{"2026-07-28", "tools/call", "task_open", 0},
		{" 2026-07-28 ", " tools/call", "\ttask_open ", 0},
		{"2026-07-28", "tools/call", "=?base64?dGFza19vcGVu?=", 0},
		{"2026-07-28", "tools/call", "=?base64?dGFza19vcGVu", -32020},
		{"2026-07-28", "tools/call", "=?base64?dGFza19vcGV?=", -32020},
		{"2026-07-28", "tools/call", "=?base64?dGFz!19vcGVu?=", -32020},
		{"2026-07-28", "tools/call", "task_status", -32020},
		{"2026-07-28", "tools/call", NULL, -32020},
		{"2026-07-28", "tools/list", "task_open", -32020},
		{"2026-07-28", "TOOLS/CALL", "task_open", -32020},
		{"2026-07-28", NULL, "task_open", -32020},
		{"2025-11-25", "tools/call", "task_open", -32020},
		{NULL, "tools/call", "task_open", -32020},
	};
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	const char *message = kh_talk_modern(talk, 3, "tools/call", "\"name\":\"task_open\",\"arguments\":{}", "{}");

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_mcp_headers with = headers(all[i].version, all[i].method, all[i].name);
		talk->headers = &with;
		yyjson_val *answer = kh_talk_ask(talk, talk->peer, message);
		assert_int_equal(kh_talk_code(answer), all[i].code);
		assert_int_equal(kh_talk_status(talk), all[i].code == 0 ? 200 : 400);
		talk->headers = NULL;
	}
	kh_talk_close(talk);
}

/* I1: the header alone makes a request one of this generation, whose `_meta` is missing then. */
static void test_by_header(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	struct kh_mcp_headers with = headers("2026-07-28", "tools/list", NULL);

	talk->headers = &with;
	yyjson_val *answer = kh_talk_ask(talk, talk->peer,
					 "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/list\",\"params\":{}}");
	assert_int_equal(kh_talk_code(answer), -32602);
	assert_int_equal(kh_talk_status(talk), 400);
	with = headers("2025-11-25", NULL, NULL);
	answer = kh_talk_ask(talk, talk->peer, "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\"}");
	assert_non_null(kh_talk_at(answer, "result"));
	kh_talk_close(talk);
}

/* I1: who listens is told at once that there is nothing to listen for, and the exchange ends. */
static void test_listen(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	uintptr_t x = kh_talk_send(talk, talk->peer,
				   kh_talk_modern(talk, 12, "subscriptions/listen",
						  "\"notifications\":{\"resourceSubscriptions\":[\"keyhole://tasks\"],"
						  "\"unheard\":true}",
						  "{}"));
	yyjson_val *last = kh_fixture_json(talk->f, kh_talk_last(talk, x)->text);
	yyjson_val *first = kh_fixture_json(talk->f, kh_talk_nth(talk, x, 0)->text);

	assert_view(kh_talk_text(first, "method"), "notifications/subscriptions/acknowledged");
	assert_int_equal(yyjson_get_int(kh_json_get(kh_talk_at(first, "params._meta"),
						    "io.modelcontextprotocol/subscriptionId")),
			 12);
	assert_int_equal(yyjson_obj_size(kh_talk_at(first, "params.notifications")), 0);
	assert_view(kh_talk_text(last, "result.resultType"), "complete");
	assert_int_equal(
		yyjson_get_int(kh_json_get(kh_talk_at(last, "result._meta"), "io.modelcontextprotocol/subscriptionId")),
		12);
	kh_mcp_listen_changed(talk->mcp, KH_MCP_CHANGED_TOOLS);
	last = kh_talk_ask(talk, talk->peer, kh_talk_modern(talk, 13, "subscriptions/listen", "", "{}"));
	assert_int_equal(kh_talk_code(last), -32602);
	kh_talk_close(talk);
}

/* I1: what there is no resource for is said as the version wants it, with the URI. */
static void test_no_resource(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	yyjson_val *answer = kh_talk_ask(talk, talk->peer,
					 kh_talk_modern(talk, 1, "resources/read", "\"uri\":\"keyhole://no\"", "{}"));

	assert_int_equal(kh_talk_code(answer), -32602);
	assert_view(kh_talk_text(answer, "error.data.uri"), "keyhole://no");
	kh_talk_begin(talk, talk->peer, "2025-11-25", "{}");
	answer = kh_talk_ask(talk, talk->peer,
			     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\",\"params\":{\"uri\":"
			     "\"keyhole://no\"}}");
	assert_int_equal(kh_talk_code(answer), -32002);
	assert_view(kh_talk_text(answer, "error.data.uri"), "keyhole://no");
	kh_talk_close(talk);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_discover), KH_TEST_ONCE(test_dress),       KH_TEST_ONCE(test_refused),
	KH_TEST_ONCE(test_versions), KH_TEST_ONCE(test_headers),     KH_TEST_ONCE(test_by_header),
	KH_TEST_ONCE(test_listen),   KH_TEST_ONCE(test_no_resource),
};
KH_TEST_MAIN(cases)
