/* Tables of several origins put together. */
#include "harness.h"
#include "mcp/methods.h"

static enum kh_work_next run(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	(void)call;
	(void)ret_answer;
	return KH_WORK_DONE;
}

static const struct kh_mcp_method methods[] = {
	{"ping", KH_MCP_LEGACY, .ttl = -1, .run = run},
	{"more/things", KH_MCP_MODERN, .ttl = -1, .run = run},
};

static const struct kh_mcp_tool tools[] = {
	{.name = "with_header",
	 .roles = ~0U,
	 .input = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}"},
	{.name = "without", .roles = KH_ROLE_BIT(KH_ROLE_READER), .input = "{\"type\":\"object\"}"},
};

static void check_parts(struct kh_test *t, struct kh_mcp_offer *offer, size_t own_tools)
{
	const struct kh_mcp_offered *found = kh_mcp_offer_find(offer, KH_LIT("with_header"));

	(void)t;
	assert_int_equal(offer->tool_count, own_tools + 2);
	assert_int_equal(offer->changes, KH_MCP_CHANGED_TOOLS);
	assert_ptr_equal(kh_mcp_offer_method(offer, KH_LIT("ping")), &methods[0]);
	assert_ptr_equal(kh_mcp_offer_method(offer, KH_LIT("more/things")), &methods[1]);
	assert_non_null(kh_mcp_offer_method(offer, KH_LIT("tools/call")));
	assert_null(kh_mcp_offer_method(offer, KH_LIT("tools/calls")));
	assert_true(found != NULL && found->has_headers && yyjson_is_obj(found->input));
	found = kh_mcp_offer_find(offer, KH_LIT("without"));
	assert_true(found != NULL && !found->has_headers);
	assert_null(kh_mcp_offer_tool(offer, KH_LIT("without"), KH_ROLE_CONTROLLER));
	assert_ptr_equal(kh_mcp_offer_tool(offer, KH_LIT("without"), KH_ROLE_READER), found);
	assert_non_null(kh_mcp_offer_tool(offer, KH_LIT("BCPQuery"), KH_ROLE_CONTROLLER));
}

/* I1: what whoever assembles a gateway adds is found beside Keyhole's own; of two names alike the first counts. */
static void test_parts(struct kh_test *t)
{
	const struct kh_mcp_part parts[] = {
		{.methods = methods,
		 .method_count = 2,
		 .tools = tools,
		 .tool_count = 2,
		 .changes = KH_MCP_CHANGED_TOOLS},
		kh_mcp_methods_part(),
	};
	struct kh_mcp_offer offer;
	enum kh_err e = kh_mcp_offer_init(&offer, t->arena.alloc, parts, 2, &t->err);

	if (e == KH_OK)
		check_parts(t, &offer, parts[1].tool_count);
	kh_mcp_offer_done(&offer);
	must(t, e);
}

/* A table whose schema is not JSON is found when the server starts, not when the tool is called. */
static void test_bad_schema(struct kh_test *t)
{
	static const struct kh_mcp_tool bad = {.name = "bad", .roles = ~0U, .input = "{"};
	const struct kh_mcp_part part = {.tools = &bad, .tool_count = 1};
	struct kh_mcp_offer offer;
	enum kh_err e = kh_mcp_offer_init(&offer, t->arena.alloc, &part, 1, &t->err);

	kh_mcp_offer_done(&offer);
	must_fail(t, KH_EINPUT, e);
}

static const struct kh_test_case cases[] = {KH_TEST(test_parts), KH_TEST(test_bad_schema)};
KH_TEST_MAIN(cases)
