/* U5: approved tools of upstream servers are listed and called like Keyhole's own; nothing else of a server is seen. */
#include "../engine/offering.h"
#include "talk.h"

#include "mcp/upstreams.h"

#include <stdlib.h>

#define LIST "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{%s}}"
#define READ                                                                                                           \
	"{\"name\":\"read\",\"title\":\"Read\",\"description\":\"Reads a mail\",\"inputSchema\":{\"type\":\"object\"," \
	"\"properties\":{\"id\":{\"type\":\"string\",\"x-mcp-header\":\"Id\",\"default\":{\"x-mcp-header\":1}},"       \
	"\"x-mcp-header\":{\"type\":\"string\"}},\"required\":[\"id\"],\"additionalProperties\":false},"               \
	"\"outputSchema\":{\"type\":\"object\",\"description\":\"canary\"},\"annotations\":{\"readOnlyHint\":true}}"
#define SEND "{\"name\":\"send\",\"description\":\"Sends a mail\",\"inputSchema\":{\"type\":\"object\"}}"

static const char *list_of(struct kh_talk *talk, const char *params)
{
	return kh_arena_printf(&talk->f->arena, LIST, params).p;
}

static yyjson_val *find(yyjson_val *answer, const char *name)
{
	yyjson_val *item;
	yyjson_arr_iter iter = yyjson_arr_iter_with(kh_talk_at(answer, "result.tools"));

	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		if (kh_view_eq(kh_json_str(kh_json_get(item, "name")), kh_view_str(name)))
			return item;
	}
	return NULL;
}

/* The server `mail` with these tools. */
static const char *server(struct kh_talk *talk, const char *const *tools)
{
	kh_offering_see(talk->f, "mail", tools);
	return "mail";
}

static const char *named(struct kh_talk *talk, const char *of, const char *tool)
{
	return kh_arena_printf(&talk->f->arena, "%s__%s", of, tool).p;
}

/* As pinned, with `keyhole`, with Keyhole's own output schema and hints; for Controllers alone; in every version. */
static void test_list(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, KH_OFFERING_SERVERS "policy:\n  version: v1\n", 0, KH_LIT(""));
	struct kh_mcp_peer *old = kh_talk_peer(talk, talk->f->controller), *other = kh_talk_peer(talk, talk->f->reader);
	const char *mail = server(talk, (const char *const[]){READ, SEND, NULL}), *read = named(talk, mail, "read");

	kh_talk_begin(talk, talk->peer, "2025-11-25", "{}");
	kh_talk_begin(talk, old, "2025-03-26", "{}");
	kh_talk_begin(talk, other, "2025-11-25", "{}");
	assert_null(find(kh_talk_ask(talk, talk->peer, list_of(talk, "")), read));
	/* U3: nothing to read from. */
	assert_null(find(kh_talk_ask(talk, talk->peer, list_of(talk, "")), "comm_resource"));
	kh_offering_approve(talk->f, mail, "{\"send\":\"My words\"}");
	assert_non_null(find(kh_talk_ask(talk, talk->peer, list_of(talk, "")), "comm_resource"));
	yyjson_val *tool = find(kh_talk_ask(talk, talk->peer, list_of(talk, "")), read);
	assert_non_null(tool);
	assert_view(kh_talk_text(tool, "title"), "Read");
	assert_view(kh_talk_text(tool, "description"), "Reads a mail");
	yyjson_val *id = kh_talk_at(tool, "inputSchema.properties.id");
	assert_null(kh_json_get(id, "x-mcp-header")); /* a header is between a client and its own server */
	assert_non_null(kh_json_get(kh_json_get(id, "default"), "x-mcp-header"));
	assert_non_null(kh_talk_at(tool, "inputSchema.properties.x-mcp-header"));
	assert_view(kh_talk_text(tool, "inputSchema.properties.keyhole.type"), "object");
	assert_view(kh_talk_text(tool, "inputSchema.properties.keyhole.required.0"), "reason");
	assert_view(kh_talk_text(tool, "inputSchema.required.1"), "keyhole");
	assert_true(yyjson_is_false(kh_talk_at(tool, "inputSchema.additionalProperties")));
	assert_null(kh_talk_at(tool, "outputSchema.description"));
	assert_view(kh_talk_text(tool, "outputSchema.required.0"), "outcome");
	assert_true(yyjson_is_false(kh_talk_at(tool, "annotations.readOnlyHint")));
	tool = find(kh_talk_ask(talk, old, list_of(talk, "")), named(talk, mail, "send"));
	assert_view(kh_talk_text(tool, "description"), "My words");
	assert_null(kh_talk_at(tool, "outputSchema"));
	assert_view(kh_talk_text(tool, "inputSchema.required.0"), "keyhole");
	assert_true(yyjson_is_bool(kh_talk_at(tool, "annotations.destructiveHint")));
	assert_null(find(kh_talk_ask(talk, other, list_of(talk, "")), read));
	tool = find(kh_talk_ask(talk, talk->peer, kh_talk_modern(talk, 3, "tools/list", "", "{}")), read);
	assert_view(kh_talk_text(tool, "description"), "Reads a mail");
	/* What the server says now is not looked at. */
	kh_offering_see(talk->f, mail, (const char *const[]){SEND, NULL});
	tool = find(kh_talk_ask(talk, talk->peer, list_of(talk, "")), read);
	assert_view(kh_talk_text(tool, "description"), "Reads a mail");
	kh_mcp_peer_drop(old);
	kh_mcp_peer_drop(other);
	kh_talk_close(talk);
}

/* G6: an ordinary tool takes at most 600 characters of the list. */
static void test_size(struct kh_test *t)
{
	static const char tool[] =
		"{\"name\":\"add\",\"description\":\"Adds two "
		"numbers\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
		"\"a\":{\"type\":\"number\"},\"b\":{\"type\":\"number\"}},\"required\":[\"a\",\"b\"]}}";
	struct kh_talk *talk = kh_talk_open(t, KH_OFFERING_SERVERS "policy:\n  version: v2\n", 0, KH_LIT(""));
	const char *mail = server(talk, (const char *const[]){tool, NULL});
	struct kh_view text = {NULL, 0};

	kh_talk_begin(talk, talk->peer, "2025-11-25", "{}");
	kh_offering_approve(talk->f, mail, NULL);
	yyjson_val *listed = find(kh_talk_ask(talk, talk->peer, list_of(talk, "")), named(talk, mail, "add"));
	assert_non_null(listed);
	must(t, kh_canonical_json(&talk->f->arena, listed, &text, &t->err));
	if (text.n > 600)
		fail_msg("%zu characters", text.n);
	kh_talk_close(talk);
}

/* A long list comes in pages, each tool on one of them, whatever happens in between. */
static void test_pages(struct kh_test *t)
{
	const char *tools[251] = {NULL};
	struct kh_talk *talk = kh_talk_open(t, KH_OFFERING_SERVERS "policy:\n  version: v3\n", 0, KH_LIT(""));
	const char *cursor = "";
	size_t count = 0, pages = 0;

	for (int i = 0; i < 250; i++)
		tools[i] = kh_arena_printf(&talk->f->arena,
					   "{\"name\":\"tool%03d\",\"inputSchema\":{\"type\":\"object\"}}", i)
				   .p;
	const char *mail = server(talk, tools);
	kh_offering_approve(talk->f, mail, NULL);
	kh_talk_begin(talk, talk->peer, "2025-11-25", "{}");
	do {
		struct kh_view params = kh_arena_printf(&talk->f->arena, "\"cursor\":\"%s\"", cursor);
		yyjson_val *answer = kh_talk_ask(talk, talk->peer, list_of(talk, params.p));
		assert_true(yyjson_arr_size(kh_talk_at(answer, "result.tools")) <= 100);
		for (int i = 0; i < 250; i++)
			count += find(answer, kh_arena_printf(&talk->f->arena, "%s__tool%03d", mail, i).p) != NULL;
		assert_int_equal(find(answer, "task_open") != NULL, pages == 0);
		cursor = kh_talk_text(answer, "result.nextCursor").p;
		pages++;
	} while (cursor != NULL && pages < 10);
	assert_int_equal(count, 250);
	assert_int_equal(pages, 3);
	static const char *const bad[] = {"\"cursor\":7", "\"cursor\":\"nothing\"", "\"cursor\":\"a__\\u0000\""};
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(kh_talk_code(kh_talk_ask(talk, talk->peer, list_of(talk, bad[i]))), -32602);
	kh_talk_close(talk);
}

/* The text of a tool's error. */
static struct kh_view complaint(struct kh_talk *talk, const char *tool, const char *arguments)
{
	yyjson_val *answer = kh_talk_ask(talk, talk->peer, kh_talk_tool(talk, 5, tool, arguments, ""));

	assert_true(yyjson_is_true(kh_talk_at(answer, "result.isError")));
	return kh_talk_text(answer, "result.content.0.text");
}

static void has(struct kh_view text, const char *part)
{
	if (kh_view_find(text, kh_view_str(part), 0) == SIZE_MAX)
		fail_msg("no %s in: %.*s", part, KH_FMT(text));
}

/* What is wrong with `keyhole` is said by its member, with what to add; the rest is the engine's to check. */
static void test_call(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, KH_OFFERING_SERVERS "policy:\n  version: v4\n", 0, KH_LIT(""));
	const char *mail = server(talk, (const char *const[]){READ, SEND, NULL}), *read = named(talk, mail, "read");

	kh_talk_begin(talk, talk->peer, "2025-11-25", "{}");
	yyjson_val *answer = kh_talk_ask(talk, talk->peer, kh_talk_tool(talk, 1, read, "{\"id\":\"1\"}", ""));
	assert_int_equal(kh_talk_code(answer), -32602);
	assert_view(kh_talk_text(answer, "error.data.code"), "unknown_tool");
	kh_offering_approve(talk->f, mail, NULL);
	has(complaint(talk, read, "{\"id\":\"1\"}"), "(keyhole.reason)");
	has(complaint(talk, read, "{\"id\":\"1\",\"keyhole\":{}}"), "\"keyhole\": {\"reason\": \"...\"}");
	has(complaint(talk, read, "{\"id\":\"1\",\"keyhole\":\"why\"}"), "(keyhole)");
	has(complaint(talk, read, "{\"keyhole\":{\"reason\":7}}"), "(keyhole.reason)");
	has(complaint(talk, read, "{\"keyhole\":{\"reason\":\"The user wants it\",\"ask\":{}}}"), "not there yet");
	has(complaint(talk, read, "{\"keyhole\":{\"reason\":\"The user wants it\",\"taks\":\"t\"}}"), "(keyhole.taks)");
	has(complaint(talk, read,
		      "{\"keyhole\":{\"reason\":\"The user wants it\",\"declaration\":\"d0000000000000000\"}}"),
	    "unknown_declaration");
	/* Nothing is wrong with it here: the engine takes it, and there is no task. */
	has(complaint(talk, read, "{\"id\":\"1\",\"keyhole\":{\"reason\":\"The user asked for this mail\"}}"), "task");
	struct kh_mcp_peer *other = kh_talk_peer(talk, talk->f->reader);
	kh_talk_begin(talk, other, "2025-11-25", "{}");
	answer = kh_talk_ask(talk, other, kh_talk_tool(talk, 1, read, "{\"id\":\"1\"}", ""));
	assert_view(kh_talk_text(answer, "error.data.code"), "unknown_tool");
	kh_mcp_peer_drop(other);
	kh_talk_close(talk);
}

/* Whoever listens is told that the list has changed, by an approval alone. */
static void test_changed(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, KH_OFFERING_SERVERS "policy:\n  version: v5\n", 0, KH_LIT(""));
	const char *mail = server(talk, (const char *const[]){READ, NULL});

	kh_talk_begin(talk, talk->peer, "2025-11-25", "{}");
	assert_false(yyjson_is_null(kh_talk_ask(talk, talk->peer, list_of(talk, ""))));
	uint64_t before = kh_mcp_upstreams_changes(talk->mcp);
	uintptr_t x = kh_talk_send(talk, talk->peer,
				   kh_talk_modern(talk, 12, "subscriptions/listen",
						  "\"notifications\":{\"toolsListChanged\":true}", "{}"));
	yyjson_val *first = kh_fixture_json(talk->f, kh_talk_nth(talk, x, 0)->text);
	assert_true(yyjson_is_true(kh_talk_at(first, "params.notifications.toolsListChanged")));
	kh_offering_approve(talk->f, mail, NULL);
	yyjson_val *told = kh_fixture_json(talk->f, kh_talk_nth(talk, x, 1)->text);
	assert_view(kh_talk_text(told, "method"), "notifications/tools/list_changed");
	assert_int_equal(kh_mcp_upstreams_changes(talk->mcp), before + 1);
	assert_true(kh_mcp_upstreams_concern(talk->peer));
	/* A change that the server makes is none; neither is an approval of the same. */
	kh_offering_see(talk->f, mail, (const char *const[]){SEND, NULL});
	assert_false(yyjson_is_null(kh_talk_ask(talk, talk->peer, list_of(talk, ""))));
	assert_int_equal(kh_mcp_upstreams_changes(talk->mcp), before + 1);
	kh_talk_close(talk);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static atomic_size_t calls, fail_at, kept;

static void *resize(void *ctx, void *p, size_t old, size_t n)
{
	(void)ctx;
	(void)old;
	if (n == 0) {
		atomic_fetch_sub(&kept, p != NULL);
		free(p);
		return NULL;
	}
	if (atomic_fetch_add(&calls, 1) + 1 == atomic_load(&fail_at))
		return NULL;
	void *q = realloc(p, n);
	atomic_fetch_add(&kept, p == NULL && q != NULL);
	return q;
}

static const struct kh_alloc failing = {resize, NULL};

static void forget(struct kh_talk *talk)
{
	kh_mcp_upstreams_drop(talk->mcp->upstreams);
	talk->mcp->upstreams = NULL;
}

/* If there is no memory for the list, the client is told, nothing is left behind, and the next one gets all of it. */
static void test_no_memory(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, KH_OFFERING_SERVERS "policy:\n  version: v6\n", 0, KH_LIT(""));
	const char *mail = server(talk, (const char *const[]){READ, SEND, NULL}), *read = named(talk, mail, "read");
	const struct kh_alloc *real = talk->mcp->alloc;
	size_t count = SIZE_MAX;

	kh_gateway_hear(talk->gateway, NULL, NULL); /* nobody else makes the list meanwhile */
	kh_offering_approve(talk->f, mail, NULL);
	kh_talk_begin(talk, talk->peer, "2025-11-25", "{}");
	assert_non_null(find(kh_talk_ask(talk, talk->peer, list_of(talk, "")), read));
	for (size_t n = 0; n <= count; n++) {
		uintptr_t number = ++talk->exchanges;
		forget(talk);
		atomic_store(&calls, 0);
		atomic_store(&kept, 0);
		atomic_store(&fail_at, n);
		talk->mcp->alloc = &failing;
		if (kh_mcp_take(talk->peer, (void *)number, kh_view_str(list_of(talk, "")), NULL) != NULL) {
			yyjson_val *answer = kh_fixture_json(talk->f, kh_talk_last(talk, number)->text);
			bool there = kh_talk_at(answer, "result") != NULL;
			assert_int_equal(there, find(answer, read) != NULL);
			assert_true(there || kh_talk_code(answer) == -32603);
			assert_true(n > 0 || there);
		}
		talk->mcp->alloc = real;
		forget(talk);
		assert_int_equal(atomic_load(&kept), 0);
		if (n == 0)
			count = atomic_load(&calls);
	}
	assert_non_null(find(kh_talk_ask(talk, talk->peer, list_of(talk, "")), read));
	kh_talk_close(talk);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_list), KH_TEST_ONCE(test_size),    KH_TEST_ONCE(test_pages),
	KH_TEST_ONCE(test_call), KH_TEST_ONCE(test_changed), KH_TEST_ONCE(test_no_memory),
};
KH_TEST_MAIN(cases)
