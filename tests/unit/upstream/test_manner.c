/* U3: what is said to servers of both generations, how their first answers are read, and what they are refused. */
#include "harness.h"
#include "upstream/manner.h"

#define META "io.modelcontextprotocol/"
#define NONE ((struct kh_view){NULL, 0})

/* MESSAGE, which is one line, as a value. */
static yyjson_val *line(struct kh_test *t, struct kh_view message)
{
	yyjson_val *root = NULL;

	assert_true(message.n > 1 && message.p[message.n - 1] == '\n');
	assert_null(memchr(message.p, '\n', message.n - 1));
	must(t, kh_json_read(&t->arena, kh_view_of(message.p, message.n - 1), &root, &t->err));
	return root;
}

static yyjson_val *get(yyjson_val *object, const char *first, const char *second)
{
	return kh_json_get(kh_json_get(object, first), second);
}

/* What each request of the newer generation has. */
static void assert_meta(yyjson_val *root)
{
	yyjson_val *meta = get(root, "params", "_meta");

	assert_view(kh_json_str(kh_json_get(meta, META "protocolVersion")), "2026-07-28");
	assert_true(yyjson_is_obj(kh_json_get(meta, META "clientCapabilities")));
	assert_int_equal(yyjson_obj_size(kh_json_get(meta, META "clientCapabilities")), 0);
	assert_view(kh_json_str(get(meta, META "clientInfo", "name")), "keyhole");
	assert_view(kh_json_str(get(meta, META "clientInfo", "version")), KH_VERSION);
}

static void test_first(struct kh_test *t)
{
	struct kh_view message;

	must(t, kh_manner_discover(&t->arena, KH_LIT("7"), &message));
	yyjson_val *root = line(t, message);
	assert_view(kh_json_str(kh_json_get(root, "method")), "server/discover");
	assert_int_equal(yyjson_get_int(kh_json_get(root, "id")), 7);
	assert_meta(root);

	must(t, kh_manner_initialize(&t->arena, KH_LIT("8"), false, &message));
	root = line(t, message);
	assert_view(kh_json_str(kh_json_get(root, "method")), "initialize");
	assert_view(kh_json_str(get(root, "params", "protocolVersion")), "2025-11-25");
	assert_int_equal(yyjson_obj_size(get(root, "params", "capabilities")), 0);
	assert_true(yyjson_is_obj(get(root, "params", "capabilities")));
	assert_view(kh_json_str(kh_json_get(get(root, "params", "clientInfo"), "name")), "keyhole");
	assert_null(get(root, "params", "_meta"));

	/* U3: a human may answer a form, and never a URL. */
	must(t, kh_manner_initialize(&t->arena, KH_LIT("8"), true, &message));
	assert_true(kh_view_find(message, KH_LIT("\"capabilities\":{\"elicitation\":{\"form\":{}}}"), 0) != SIZE_MAX);

	must(t, kh_manner_initialized(&t->arena, &message));
	assert_view(message, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");

	must(t, kh_manner_cancelled(&t->arena, KH_LIT("9"), &message));
	root = line(t, message);
	assert_null(kh_json_get(root, "id"));
	assert_view(kh_json_str(kh_json_get(root, "method")), "notifications/cancelled");
	assert_int_equal(yyjson_get_int(get(root, "params", "requestId")), 9);
}

static yyjson_val *request(struct kh_test *t, enum kh_rpc_version version, bool with_meta)
{
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *params = yyjson_mut_obj(doc);
	struct kh_view message;

	kh_json_add(doc, params, "name", KH_LIT("a \"tool\"\n"));
	if (with_meta)
		yyjson_mut_obj_add_int(doc, yyjson_mut_obj_add_obj(doc, params, "_meta"), "progressToken", 5);
	must(t, kh_manner_request(&t->arena, doc, version, false, KH_LIT("3"), "tools/call", params, &message));
	yyjson_val *root = line(t, message);
	assert_view(kh_json_str(kh_json_get(root, "method")), "tools/call");
	assert_int_equal(yyjson_get_int(kh_json_get(root, "id")), 3);
	assert_view(kh_json_str(get(root, "params", "name")), "a \"tool\"\n");
	/* A token that the request has stays, and there is one `_meta`, or the line could not be read. */
	assert_int_equal(yyjson_get_int(kh_json_get(get(root, "params", "_meta"), "progressToken")), with_meta ? 5 : 0);
	return root;
}

static void test_requests(struct kh_test *t)
{
	assert_null(get(request(t, KH_MCP_2025_03_26, false), "params", "_meta"));
	assert_null(get(request(t, KH_MCP_2025_11_25, false), "params", "_meta"));
	assert_int_equal(yyjson_obj_size(get(request(t, KH_MCP_2025_11_25, true), "params", "_meta")), 1);
	assert_meta(request(t, KH_MCP_2026_07_28, false));
	assert_meta(request(t, KH_MCP_2026_07_28, true));
}

#define RESULT(text) "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" text "}"
#define ERROR(text)  "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":" text "}"

#define BY_DISCOVER true
#define BY_OLD      false
#define NO_VERSION  "speaks no version"
#define OTHER       "a version of MCP that Keyhole does not speak"

static const struct answer {
	const char *text;
	bool is_discover;
	enum kh_manner_next next;
	enum kh_rpc_version version; /* if it is ready */
	const char *why;             /* a part of it, if it is unknown */
} answers[] = {
	/* The newer generation. */
	{RESULT("{\"supportedVersions\":[\"2026-07-28\"]}"), BY_DISCOVER, KH_MANNER_READY, KH_MCP_2026_07_28, NULL},
	{RESULT("{\"supportedVersions\":[\"2031-01-01\",7,null,\"2025-11-25\",\"2026-07-28\"]}"), BY_DISCOVER,
	 KH_MANNER_READY, KH_MCP_2026_07_28, NULL},
	{RESULT("{\"supportedVersions\":[\"2025-06-18\"]}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{RESULT("{\"supportedVersions\":[\"2024-11-05\"]}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{RESULT("{\"supportedVersions\":[\"2031-01-01\"]}"), BY_DISCOVER, KH_MANNER_UNKNOWN, KH_MCP_NONE, NO_VERSION},
	{RESULT("{\"supportedVersions\":[]}"), BY_DISCOVER, KH_MANNER_UNKNOWN, KH_MCP_NONE, NO_VERSION},
	{RESULT("{\"supportedVersions\":\"2026-07-28\"}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{RESULT("{\"supportedVersions\":{\"2026-07-28\":1}}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{RESULT("{}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{RESULT("null"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{RESULT("\"2026-07-28\""), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{RESULT("[\"2026-07-28\"]"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	/* Errors in place of it: only one of the newer generation's own says that initialize is of no use. */
	{ERROR("{\"code\":-32601,\"message\":\"x\"}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{ERROR("{\"code\":-32000,\"message\":\"x\"}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{ERROR("{\"code\":-32602}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{ERROR("{\"code\":-32020}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{ERROR("{\"code\":0}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{ERROR("{\"code\":\"-32022\"}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{ERROR("{\"code\":-32022.0}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{ERROR("{}"), BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000}}", BY_DISCOVER, KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{ERROR("{\"code\":-32022,\"data\":{\"supported\":[\"2025-11-25\"]}}"), BY_DISCOVER, KH_MANNER_INITIALIZE,
	 KH_MCP_NONE, NULL},
	{ERROR("{\"code\":-32022,\"data\":{\"supported\":[\"2031-01-01\",\"2024-11-05\"]}}"), BY_DISCOVER,
	 KH_MANNER_INITIALIZE, KH_MCP_NONE, NULL},
	{ERROR("{\"code\":-32022,\"data\":{\"supported\":[\"2031-01-01\"]}}"), BY_DISCOVER, KH_MANNER_UNKNOWN,
	 KH_MCP_NONE, NO_VERSION},
	{ERROR("{\"code\":-32022,\"data\":{\"supported\":\"2025-11-25\"}}"), BY_DISCOVER, KH_MANNER_UNKNOWN,
	 KH_MCP_NONE, NO_VERSION},
	{ERROR("{\"code\":-32022,\"data\":[]}"), BY_DISCOVER, KH_MANNER_UNKNOWN, KH_MCP_NONE, NO_VERSION},
	{ERROR("{\"code\":-32022}"), BY_DISCOVER, KH_MANNER_UNKNOWN, KH_MCP_NONE, NO_VERSION},
	/* The older one. */
	{RESULT("{\"protocolVersion\":\"2025-11-25\"}"), BY_OLD, KH_MANNER_READY, KH_MCP_2025_11_25, NULL},
	{RESULT("{\"protocolVersion\":\"2025-06-18\"}"), BY_OLD, KH_MANNER_READY, KH_MCP_2025_06_18, NULL},
	{RESULT("{\"protocolVersion\":\"2025-03-26\"}"), BY_OLD, KH_MANNER_READY, KH_MCP_2025_03_26, NULL},
	{RESULT("{\"protocolVersion\":\"2024-11-05\"}"), BY_OLD, KH_MANNER_READY, KH_MCP_2025_03_26, NULL},
	{RESULT("{\"protocolVersion\":\"2024-11-06\"}"), BY_OLD, KH_MANNER_UNKNOWN, KH_MCP_NONE, OTHER},
	{RESULT("{\"protocolVersion\":\"2026-07-28\"}"), BY_OLD, KH_MANNER_UNKNOWN, KH_MCP_NONE, OTHER},
	{RESULT("{\"protocolVersion\":\"\"}"), BY_OLD, KH_MANNER_UNKNOWN, KH_MCP_NONE, OTHER},
	{RESULT("{\"protocolVersion\":20251125}"), BY_OLD, KH_MANNER_UNKNOWN, KH_MCP_NONE, OTHER},
	{RESULT("{\"protocolVersion\":[\"2025-11-25\"]}"), BY_OLD, KH_MANNER_UNKNOWN, KH_MCP_NONE, OTHER},
	{RESULT("{}"), BY_OLD, KH_MANNER_UNKNOWN, KH_MCP_NONE, OTHER},
	{RESULT("true"), BY_OLD, KH_MANNER_UNKNOWN, KH_MCP_NONE, OTHER},
	{ERROR("{\"code\":-32601}"), BY_OLD, KH_MANNER_UNKNOWN, KH_MCP_NONE, "with an error"},
	{ERROR("{\"code\":-32022,\"data\":{\"supported\":[\"2025-11-25\"]}}"), BY_OLD, KH_MANNER_UNKNOWN, KH_MCP_NONE,
	 "with an error"},
	/* No response at all. */
	{"", BY_DISCOVER, KH_MANNER_UNKNOWN, KH_MCP_NONE, "no message of MCP"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":", BY_OLD, KH_MANNER_UNKNOWN, KH_MCP_NONE, "no message of MCP"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}", BY_DISCOVER, KH_MANNER_UNKNOWN, KH_MCP_NONE,
	 "no message of MCP"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":7}", BY_OLD, KH_MANNER_UNKNOWN, KH_MCP_NONE, "no message of MCP"},
	{"[]", BY_OLD, KH_MANNER_UNKNOWN, KH_MCP_NONE, "no message of MCP"},
};

static void test_answers(struct kh_test *t)
{
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		const struct answer *a = &answers[i];
		enum kh_manner_next next = KH_MANNER_READY;
		struct kh_manner manner = {.version = KH_MCP_NONE};
		struct kh_view why = NONE;
		must(t, kh_manner_read(&t->arena, kh_tainted_wrap(kh_view_str(a->text)), a->is_discover, &next, &manner,
				       &why));
		if (next != a->next || manner.version != a->version)
			fail_msg("%d, version %d: %s", next, manner.version, a->text);
		assert_true((a->why == NULL) == (why.p == NULL));
		if (a->why != NULL && strstr(why.p, a->why) == NULL)
			fail_msg("%s: %s", why.p, a->text);
	}
}

static struct kh_manner read_ready(struct kh_test *t, const char *text, bool is_discover)
{
	struct kh_manner manner = {.version = KH_MCP_NONE};
	enum kh_manner_next next = KH_MANNER_UNKNOWN;
	struct kh_view why;

	must(t, kh_manner_read(&t->arena, kh_tainted_wrap(kh_view_str(text)), is_discover, &next, &manner, &why));
	assert_int_equal(next, KH_MANNER_READY);
	return manner;
}

/* What a server says of itself, in the place of its generation; what is not of its type is not there. */
static void test_itself(struct kh_test *t)
{
	static const char info[] = "{\"name\":\"n\",\"title\":\"t\",\"version\":\"v\"}";
	struct kh_view texts[] = {
		kh_arena_printf(&t->arena,
				RESULT("{\"protocolVersion\":\"2025-11-25\",\"serverInfo\":%s,\"instructions\":\"i\","
				       "\"capabilities\":{\"tools\":{},\"resources\":{\"subscribe\":true}}}"),
				info),
		kh_arena_printf(&t->arena,
				RESULT("{\"supportedVersions\":[\"2026-07-28\"],\"_meta\":{\"" META
				       "serverInfo\":%s},\"instructions\":\"i\",\"capabilities\":{\"tools\":{},"
				       "\"resources\":{}}}"),
				info)};

	must(t, kh_arena_check(&t->arena));
	for (size_t i = 0; i < 2; i++) {
		struct kh_manner manner = read_ready(t, texts[i].p, i == 1);
		assert_view(kh_tainted_open(manner.name), "n");
		assert_view(kh_tainted_open(manner.title), "t");
		assert_view(kh_tainted_open(manner.said_version), "v");
		assert_view(kh_tainted_open(manner.instructions), "i");
		assert_true(manner.has_tools && manner.has_resources);
	}
	struct kh_manner manner = read_ready(t,
					     RESULT("{\"protocolVersion\":\"2025-11-25\",\"serverInfo\":{\"name\":[],"
						    "\"title\":1},\"instructions\":{},\"capabilities\":{\"tools\":true,"
						    "\"resources\":null}}"),
					     false);
	assert_int_equal(kh_tainted_size(manner.name) + kh_tainted_size(manner.title), 0);
	assert_int_equal(kh_tainted_size(manner.instructions), 0);
	assert_false(manner.has_tools || manner.has_resources);
	manner = read_ready(t, RESULT("{\"protocolVersion\":\"2025-11-25\",\"serverInfo\":\"n\",\"capabilities\":[]}"),
			    false);
	assert_int_equal(kh_tainted_size(manner.name), 0);
	assert_false(manner.has_tools);
}

static void test_replies(struct kh_test *t)
{
	static const struct {
		const char *method, *body;
	} replies[] = {
		{"ping", "\"result\":{}"},
		{"roots/list", "\"result\":{\"roots\":[]}"},
		{"elicitation/create", "\"result\":{\"action\":\"decline\"}"},
		{"sampling/createMessage", NULL},
		{"tools/call", NULL},
		{"ping ", NULL},
		{"", NULL},
		{"Ping", NULL},
	};
	char id[KH_RPC_ID + 1], buffer[KH_RPC_ID + 160];

	memset(id, 'x', KH_RPC_ID);
	id[0] = id[KH_RPC_ID - 1] = '"';
	id[KH_RPC_ID] = '\0';
	for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
		struct kh_view method = kh_view_str(replies[i].method);
		struct kh_view text = kh_manner_reply(kh_view_str(id), method, buffer, sizeof(buffer));
		yyjson_val *root = line(t, text);
		assert_view(kh_json_str(kh_json_get(root, "jsonrpc")), "2.0");
		assert_int_equal(kh_json_str(kh_json_get(root, "id")).n, KH_RPC_ID - 2);
		if (replies[i].body == NULL)
			assert_int_equal(yyjson_get_int(get(root, "error", "code")), -32601);
		else
			assert_non_null(strstr(buffer, replies[i].body));
		text = kh_manner_reply(KH_LIT("-7"), method, buffer, sizeof(buffer));
		assert_int_equal(yyjson_get_int(kh_json_get(line(t, text), "id")), -7);
		assert_int_equal(kh_manner_reply(kh_view_str(id), method, buffer, KH_RPC_ID).n, 0);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_first), KH_TEST(test_requests), KH_TEST(test_answers), KH_TEST(test_itself), KH_TEST(test_replies),
};
KH_TEST_MAIN(cases)
