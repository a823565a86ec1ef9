#include "talk.h"

#include "mcp/session.h"

static yyjson_val *initialize(struct kh_talk *talk, struct kh_mcp_peer *peer, const char *params)
{
	return kh_talk_ask(talk, peer,
			   kh_arena_printf(&talk->f->arena,
					   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":%s}",
					   params)
				   .p);
}

/* I1: the version that was asked for where it is spoken, else the newest that begins with `initialize`. */
static void test_negotiation(struct kh_test *t)
{
	static const struct {
		const char *asked, *got;
	} versions[] = {
		{"2025-03-26", "2025-03-26"}, {"2025-06-18", "2025-06-18"}, {"2025-11-25", "2025-11-25"},
		{"2026-07-28", "2025-11-25"}, {"2024-11-05", "2025-11-25"}, {"1", "2025-11-25"},
	};
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		struct kh_mcp_peer *peer = kh_talk_peer(talk, talk->f->controller);
		struct kh_view params = kh_arena_printf(
			&talk->f->arena, "{\"protocolVersion\":\"%s\",\"capabilities\":{}}", versions[i].asked);
		yyjson_val *answer = initialize(talk, peer, params.p);
		assert_view(kh_talk_text(answer, "result.protocolVersion"), versions[i].got);
		assert_view(kh_talk_text(answer, "result.serverInfo.name"), "keyhole");
		assert_non_null(kh_talk_at(answer, "result.capabilities.tools"));
		assert_non_null(kh_talk_at(answer, "result.capabilities.prompts"));
		assert_non_null(kh_talk_at(answer, "result.capabilities.resources"));
		assert_non_null(kh_talk_at(answer, "result.capabilities.completions"));
		assert_non_null(kh_talk_at(answer, "result.capabilities.logging"));
		assert_true(kh_view_find(kh_talk_text(answer, "result.instructions"), KH_LIT("task_open"), 0) !=
			    SIZE_MAX);
		kh_mcp_peer_drop(peer);
	}
	kh_talk_close(talk);
}

/* I1: what is wrong with `initialize` is said, and nothing was agreed then. */
static void test_bad(struct kh_test *t)
{
	static const char *const bad[] = {
		"{}",
		"{\"protocolVersion\":7,\"capabilities\":{}}",
		"{\"protocolVersion\":\"2025-06-18\",\"capabilities\":[]}",
	};
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(kh_talk_code(initialize(talk, talk->peer, bad[i])), -32602);
		assert_int_equal(kh_talk_status(talk), 400);
	}
	kh_talk_begin(talk, talk->peer, "2025-06-18", "{}");
	kh_talk_close(talk);
}

/* What a client can do is what it said, in the words of its version (A4). */
static void test_can(struct kh_test *t)
{
	static const struct {
		const char *capabilities;
		enum kh_rpc_version version;
		unsigned can;
	} all[] = {
		{"{}", KH_MCP_2025_11_25, 0},
		{"{\"elicitation\":{}}", KH_MCP_2025_03_26, 0},
		{"{\"elicitation\":{}}", KH_MCP_2025_06_18, KH_MCP_CAN_ELICIT},
		{"{\"elicitation\":{\"url\":{}}}", KH_MCP_2025_06_18, KH_MCP_CAN_ELICIT},
		{"{\"elicitation\":{\"url\":{}}}", KH_MCP_2025_11_25, KH_MCP_CAN_ELICIT_URL},
		{"{\"elicitation\":{\"form\":{}}}", KH_MCP_2025_11_25, KH_MCP_CAN_ELICIT},
		{"{\"elicitation\":{\"form\":{},\"url\":{}}}", KH_MCP_2026_07_28,
		 KH_MCP_CAN_ELICIT | KH_MCP_CAN_ELICIT_URL},
		{"{\"elicitation\":true,\"sampling\":{},\"roots\":{}}", KH_MCP_2025_11_25,
		 KH_MCP_CAN_SAMPLE | KH_MCP_CAN_ROOTS},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		yyjson_val *root = NULL;
		must(t, kh_json_read(&t->arena, kh_view_str(all[i].capabilities), &root, &t->err));
		assert_int_equal(kh_mcp_session_can(root, all[i].version), all[i].can);
	}
}

/* I1: every role is told how to begin, and of no other role's tools. */
static void test_instructions(struct kh_test *t)
{
	(void)t;
	struct kh_view controller = kh_mcp_session_instructions(KH_ROLE_CONTROLLER);
	struct kh_view reader = kh_mcp_session_instructions(KH_ROLE_READER);
	struct kh_view admin = kh_mcp_session_instructions(KH_ROLE_ADMIN);

	assert_true(kh_view_find(controller, KH_LIT("BCPQuery"), 0) != SIZE_MAX);
	assert_true(kh_view_find(controller, KH_LIT("BCPNext"), 0) == SIZE_MAX);
	assert_true(kh_view_find(reader, KH_LIT("BCPNext"), 0) != SIZE_MAX);
	assert_true(kh_view_find(reader, KH_LIT("BCPQuery"), 0) == SIZE_MAX);
	assert_true(kh_view_find(admin, KH_LIT("BCP"), 0) == SIZE_MAX);
}

/* I1: logging/setLevel takes every level of MCP. */
static void test_levels(struct kh_test *t)
{
	static const char *const levels[] = {"debug", "info",     "notice", "warning",
					     "error", "critical", "alert",  "emergency"};
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));

	kh_talk_begin(talk, talk->peer, "2025-11-25", "{}");
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		struct kh_view message = kh_arena_printf(
			&talk->f->arena,
			"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\","
			"\"params\":{\"level\":\"%s\"}}",
			levels[i]);
		yyjson_val *answer = kh_talk_ask(talk, talk->peer, message.p);
		assert_true(yyjson_is_obj(kh_talk_at(answer, "result")));
		assert_int_equal(yyjson_obj_size(kh_talk_at(answer, "result")), 0);
	}
	kh_talk_close(talk);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_negotiation),  KH_TEST_ONCE(test_bad),    KH_TEST(test_can),
	KH_TEST_ONCE(test_instructions), KH_TEST_ONCE(test_levels),
};
KH_TEST_MAIN(cases)
