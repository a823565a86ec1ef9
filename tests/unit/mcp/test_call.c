#include "talk.h"

#include "mcp/tools.h"

#define LIST "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"

static bool lists(yyjson_val *answer, const char *name)
{
	yyjson_val *item;
	yyjson_arr_iter iter = yyjson_arr_iter_with(kh_talk_at(answer, "result.tools"));

	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		if (kh_view_eq(kh_json_str(kh_json_get(item, "name")), kh_view_str(name)))
			return true;
	}
	return false;
}

/* I1: a role sees its own tools and nobody else's; humans' tokens see none; another's tool is answered like none. */
static void test_roles(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	const struct {
		struct kh_view token;
		enum kh_role role;
	} all[] = {
		{talk->f->controller, KH_ROLE_CONTROLLER}, {talk->f->reader, KH_ROLE_READER},
		{talk->f->supervisor, KH_ROLE_SUPERVISOR}, {talk->f->host, KH_ROLE_HOST},
		{kh_fixture_hook(talk->f), KH_ROLE_HOOK},  {talk->f->reviewer, KH_ROLE_REVIEWER},
		{talk->f->admin, KH_ROLE_ADMIN},
	};
	size_t count;
	const struct kh_mcp_tool *tools = kh_mcp_tools_all(&count);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_mcp_peer *peer = kh_talk_peer(talk, all[i].token);
		kh_talk_begin(talk, peer, "2025-11-25", "{}");
		yyjson_val *answer = kh_talk_ask(talk, peer, LIST);
		struct kh_view unknown = {NULL, 0};
		for (size_t k = 0; k < count; k++) {
			bool sees = (tools[k].roles & KH_ROLE_BIT(all[i].role)) != 0;
			/* It asks an upstream server, and there is none: test_tool_upstream has one. */
			bool lacks = strcmp(tools[k].name, "comm_resource") == 0;
			assert_int_equal(lists(answer, tools[k].name), sees && !lacks);
			if (sees)
				continue;
			yyjson_val *refused = kh_talk_ask(talk, peer,
							  kh_talk_tool(talk, 7, tools[k].name, "{\"any\":1}", ""));
			assert_int_equal(kh_talk_code(refused), -32602);
			assert_view(kh_talk_text(refused, "error.data.code"), "unknown_tool");
			unknown = kh_talk_text(refused, "error.message");
			assert_true(kh_view_find(unknown, kh_view_str(tools[k].name), 0) != SIZE_MAX);
		}
		yyjson_val *none = kh_talk_ask(talk, peer, kh_talk_tool(talk, 7, "no_such_tool", "{}", ""));
		assert_int_equal(kh_talk_code(none), -32602);
		assert_view(kh_talk_text(none, "error.data.code"), "unknown_tool");
		kh_mcp_peer_drop(peer);
	}
	kh_talk_close(talk);
}

/* I1: schemas, titles and annotations as the version has them. */
static void test_list(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	struct kh_mcp_peer *old = kh_talk_peer(talk, talk->f->controller);

	kh_talk_begin(talk, talk->peer, "2025-06-18", "{}");
	kh_talk_begin(talk, old, "2025-03-26", "{}");
	yyjson_val *tool = kh_talk_at(kh_talk_ask(talk, talk->peer, LIST), "result.tools.0");
	assert_view(kh_talk_text(tool, "inputSchema.type"), "object");
	assert_view(kh_talk_text(tool, "outputSchema.type"), "object");
	assert_true(kh_talk_text(tool, "title").n > 0 && kh_talk_text(tool, "description").n > 0);
	assert_true(yyjson_is_bool(kh_talk_at(tool, "annotations.readOnlyHint")));
	tool = kh_talk_at(kh_talk_ask(talk, old, LIST), "result.tools.0");
	assert_view(kh_talk_text(tool, "inputSchema.type"), "object");
	assert_null(kh_talk_at(tool, "outputSchema"));
	assert_null(kh_talk_at(tool, "title"));
	kh_mcp_peer_drop(old);
	kh_talk_close(talk);
}

/* I1: arguments that do not fit are the tool's error, which a model reads, with the member and what to do. */
static void test_bad_arguments(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));

	kh_talk_begin(talk, talk->peer, "2025-11-25", "{}");
	yyjson_val *answer = kh_talk_ask(talk, talk->peer, kh_talk_tool(talk, 1, "task_status", "{\"task\":7}", ""));
	assert_true(yyjson_is_true(kh_talk_at(answer, "result.isError")));
	assert_true(kh_view_find(kh_talk_text(answer, "result.content.0.text"), KH_LIT("task"), 0) != SIZE_MAX);
	assert_true(kh_view_find(kh_talk_text(answer, "result.content.0.text"), KH_LIT("schema"), 0) != SIZE_MAX);
	assert_view(
		kh_json_str(kh_json_get(kh_json_get(kh_talk_at(answer, "result._meta"), "keyhole/error"), "member")),
		"task");
	answer = kh_talk_ask(talk, talk->peer,
			     kh_talk_tool(talk, 1, "task_status", "{\"task\":\"t0000000000000000\"}", ""));
	assert_true(yyjson_is_true(kh_talk_at(answer, "result.isError")));
	kh_talk_close(talk);
}

/* K10: what came through from untrusted content carries trust, taint, block and sources; nothing else does. */
static void test_labels(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	struct kh_view task = kh_fixture_task(talk->f, talk->f->controller);
	struct kh_view block = kh_fixture_block(talk->f, talk->f->controller, task, "The CANARY meets on Monday.");
	struct kh_view query = kh_arena_printf(&talk->f->arena,
					       "{\"task\":\"%.*s\",\"category\":1,\"target\":\"scripted\",\"fields\":["
					       "{\"name\":\"meeting\",\"type\":\"boolean\"}]}",
					       KH_FMT(task));

	kh_fixture_answer(talk->f, "{\"fields\":{\"meeting\":true}}");
	kh_talk_begin(talk, talk->peer, "2025-06-18", "{}");
	yyjson_val *answer = kh_talk_ask(talk, talk->peer, kh_talk_tool(talk, 1, "BCPQuery", query.p, ""));
	yyjson_val *labels = kh_json_get(kh_talk_at(answer, "result._meta"), "keyhole/labels");
	assert_view(kh_talk_text(answer, "result.structuredContent.outcome"), "delivered");
	assert_view(kh_json_str(kh_json_get(labels, "trust")), "untrusted");
	assert_view(kh_json_str(kh_json_get(labels, "taint")), "medium");
	assert_true(kh_json_str(kh_json_get(labels, "block")).n > 0);
	assert_true(kh_view_eq(kh_json_str(yyjson_arr_get_first(kh_json_get(labels, "sources"))), block));
	assert_true(kh_talk_text(answer, "result.content.0.text").n > 0);
	answer = kh_talk_ask(talk, talk->peer, kh_talk_tool(talk, 1, "task_open", "{}", ""));
	assert_null(kh_talk_at(answer, "result._meta"));
	for (size_t i = 0; i < talk->count; i++)
		assert_true(kh_view_find(talk->messages[i].text, KH_LIT("CANARY"), 0) == SIZE_MAX);
	kh_talk_close(talk);
}

/* I1: 2025-03-26 has no structured content: the text holds all of it. */
static void test_old_result(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));

	kh_talk_begin(talk, talk->peer, "2025-03-26", "{}");
	yyjson_val *answer = kh_talk_ask(talk, talk->peer, kh_talk_tool(talk, 1, "task_open", "{}", ""));
	assert_null(kh_talk_at(answer, "result.structuredContent"));
	yyjson_val *text = kh_fixture_json(talk->f, kh_talk_text(answer, "result.content.0.text"));
	assert_true(yyjson_is_obj(text));
	kh_talk_close(talk);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_roles),  KH_TEST_ONCE(test_list),       KH_TEST_ONCE(test_bad_arguments),
	KH_TEST_ONCE(test_labels), KH_TEST_ONCE(test_old_result),
};
KH_TEST_MAIN(cases)
