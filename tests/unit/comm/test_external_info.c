#include "core/comm/declaration.h"
#include "harness.h"

#include <stdio.h>

#define INFO(items) "{\"external_info\":{\"required\":true,\"declarations\":[" items "]}}"
#define WHY         "\"reason\":\"Find the release notes of version 3.12\""
#define READ(more)  "{\"action\":\"file_read\",\"target\":\"x\"" more "}"

static struct kh_reasons errors, review;

static struct kh_declarations check(struct kh_test *t, const char *text)
{
	struct kh_declarations list = {.n = 0};
	yyjson_val *in;

	must(t, kh_json_read(&t->arena, kh_view_str(text), &in, &t->err));
	kh_reasons_init(&errors, &t->arena);
	kh_reasons_init(&review, &t->arena);
	must(t, kh_declaration_check(&t->arena, NULL, in, KH_LIT("abc123"), &list, &errors, &review));
	return list;
}

/* E3, COMPAT 3: each action becomes its operation, the target its parameter. */
static void test_actions(struct kh_test *t)
{
	static const char *const all[][5] = {
		{"web_search", "release notes 3.12", "", "comm.search", "query"},
		{"web_search", "release notes 3.12", ",\"params\":{\"max_results\":5}", "comm.search", "limit"},
		{"web_fetch", "https://example.com/a", ",\"params\":null,\"alternatives\":null", "comm.fetch", "url"},
		{"api_call", "https://example.com/api", "", "comm.fetch", "url"},
		{"database_query", "shop", ",\"params\":{\"statement\":\"price_of\",\"params\":[7]}", "comm.query",
		 "database"},
		{"database_query", "SELECT 1", ",\"params\":{\"database\":\"shop\"}", "comm.query", "statement"},
		{"database_query", "shop", ",\"params\":{\"query\":\"SELECT 1\"}", "comm.query", "statement"},
		{"file_read", "notes.txt", "", "comm.read", "path"},
		{"command_exec", "git", ",\"params\":{\"args\":[\"log\"]}", "comm.exec", "args"},
		{"tool_call", "files.read_file", ",\"params\":{\"path\":{\"deep\":[1,{}]}}", "comm.mcp.files.read_file",
		 "path"},
		{"tool_call", "files__read__file", ",\"params\":{\"path\":1}", "comm.mcp.files.read__file", "path"},
		{"tool_call", "comm.mcp.files.read_file", ",\"params\":{\"path\":1}", "comm.mcp.files.read_file",
		 "path"},
	};
	char text[1024];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(text, sizeof(text), INFO("{\"action\":\"%s\",\"target\":\"%s\"," WHY "%s}"), all[i][0],
			 all[i][1], all[i][2]);
		struct kh_declarations list = check(t, text);
		if (errors.n > 0)
			fail_msg("%s: %s %.*s", text, errors.at[0].code, KH_FMT(errors.at[0].member));
		assert_int_equal(list.n, 1);
		assert_view(list.at[0].operation.full, all[i][3]);
		assert_non_null(kh_declaration_parameter(&list.at[0], all[i][4]));
		assert_view(list.at[0].reason, "Find the release notes of version 3.12");
	}
}

/* E3, COMPAT 3: all its members, and several declarations at once, in order. */
static void test_several(struct kh_test *t)
{
	struct kh_declarations list = check(
		t, INFO("{\"action\":\"web_search\",\"target\":\"release notes\"," WHY
			",\"params\":{\"limit\":3},\"priority\":1,\"estimated_cost\":\"LOW\",\"alternatives\":[\"Use "
			"the cache\",\"Answer for 3.11\"]}," READ(
				"," WHY ",\"phase\":\"execution\",\"session_id\":\"abc123\"")));

	assert_int_equal(errors.n, 0);
	assert_int_equal(list.n, 2);
	assert_view(list.at[0].operation.full, "comm.search");
	assert_view(list.at[1].operation.full, "comm.read");
	assert_view(list.at[1].session_id, "abc123");
}

/* clang-format off */
static const char *const outer[][3] = {
	{"{\"external_info\":[]}", "wrong_type", "external_info"},
	{"{\"external_info\":{\"required\":true}}", "missing", "external_info.declarations"},
	{"{\"external_info\":{\"declarations\":[" READ("," WHY) "]}}", "missing", "external_info.required"},
	{INFO(""), "empty", "external_info.declarations"},
	{"{\"external_info\":{\"required\":true,\"declarations\":{}}}", "wrong_type", "external_info.declarations"},
	{INFO(READ("," WHY) ",{\"action\":\"file_write\",\"target\":\"x\"," WHY "}"), "file_write_refused",
	 "external_info.declarations[1].action"},
};
/* An item, the code, and the member below the item. */
static const char *const items[][3] = {
	{"5", "wrong_type", ""},
	{"{\"action\":\"file_write\",\"target\":\"notes.txt\"," WHY "}", "file_write_refused", ".action"},
	{"{\"action\":\"FILE_READ\",\"target\":\"notes.txt\"," WHY "}", "action_unknown", ".action"},
	{"{\"target\":\"notes.txt\"," WHY "}", "missing", ".action"},
	{"{\"action\":\"file_read\"," WHY "}", "missing", ".target"},
	{"{\"action\":\"file_read\",\"target\":\"\"," WHY "}", "empty", ".target"},
	{"{\"action\":\"file_read\",\"target\":\"../x\"," WHY "}", "bad_path", ".target"},
	{READ(""), "missing", ".reason"},
	{READ(",\"reason\":\"need it\""), "too_short", ".reason"},
	{READ(",\"reason\":\"I need some information\""), "vague", ".reason"},
	{READ("," WHY ",\"token\":1"), "unknown_member", ".token"},
	{READ("," WHY ",\"priority\":4"), "out_of_range", ".priority"},
	{READ("," WHY ",\"estimated_cost\":\"low\""), "bad_value", ".estimated_cost"},
	{READ("," WHY ",\"alternatives\":\"y\""), "wrong_type", ".alternatives"},
	{READ("," WHY ",\"alternatives\":[0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6]"), "too_many", ".alternatives"},
	{READ("," WHY ",\"alternatives\":[1]"), "wrong_type", ".alternatives[0]"},
	{READ("," WHY ",\"phase\":\"planning\""), "OUTBOUND_FORBIDDEN_IN_PLANNING", ".phase"},
	{READ("," WHY ",\"session_id\":\"abc\""), "session_mismatch", ".session_id"},
	{"{\"action\":\"api_call\",\"target\":\"https://example.com/\"," WHY ",\"params\":{\"method\":\"POST\"}}",
	 "unknown_member", ".params.method"},
	{"{\"action\":\"web_fetch\",\"target\":\"https://example.com/\"," WHY ",\"params\":{\"url\":\"https://b.example/\"}}",
	 "duplicate_name", ".params.url"},
	{"{\"action\":\"web_fetch\",\"target\":\"https://example.com/\"," WHY ",\"params\":[1]}", "wrong_type", ".params"},
	{"{\"action\":\"web_fetch\",\"target\":\"http://169.254.169.254/\"," WHY "}", "bad_url", ".target"},
	{"{\"action\":\"database_query\",\"target\":\"shop\"," WHY "}", "missing", ".params.statement"},
	{"{\"action\":\"command_exec\",\"target\":\"rm -rf /\"," WHY "}", "bad_command", ".target"},
	{"{\"action\":\"tool_call\",\"target\":\"read_file\"," WHY "}", "operation_malformed", ".target"},
	{"{\"action\":\"tool_call\",\"target\":\"a__b.tool\"," WHY "}", "operation_malformed", ".target"},
};
/* clang-format on */

/* E3: what is refused, and where.  One bad declaration refuses the message. */
static void test_refused(struct kh_test *t)
{
	size_t n = sizeof(outer) / sizeof(outer[0]);
	char text[512], member[128];

	for (size_t i = 0; i < n + sizeof(items) / sizeof(items[0]); i++) {
		const char *const *want = i < n ? outer[i] : items[i - n];
		snprintf(text, sizeof(text), i < n ? "%s" : INFO("%s"), want[0]);
		snprintf(member, sizeof(member), i < n ? "%s" : "external_info.declarations[0]%s", want[2]);
		struct kh_declarations list = check(t, text);
		assert_int_equal(list.n, 0);
		if (errors.n != 1 || strcmp(errors.at[0].code, want[1]) != 0)
			fail_msg("%s: %zu %s", text, errors.n, errors.n ? errors.at[0].code : "");
		assert_view(errors.at[0].member, member);
	}
	check(t, "{\"external_info\":{\"required\":false,\"declarations\":[]},\"more\":1}");
	assert_int_equal(errors.n, 3);
}

static void test_limits(struct kh_test *t)
{
	static char text[8192];
	size_t n = (size_t)snprintf(text, sizeof(text), "{\"external_info\":{\"required\":true,\"declarations\":[");

	for (int i = 0; i < KH_DECLARATIONS_MAX + 1; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s" READ("," WHY), i ? "," : "");
	snprintf(text + n, sizeof(text) - n, "]}}");
	check(t, text);
	assert_int_equal(errors.n, 1);
	assert_string_equal(errors.at[0].code, "too_many");
	n = (size_t)snprintf(text, sizeof(text),
			     "{\"external_info\":{\"required\":true,\"declarations\":[{\"action\":"
			     "\"file_read\",\"target\":\"x\",\"reason\":\"two words ");
	memset(text + n, 'y', 491);
	snprintf(text + n + 491, sizeof(text) - n - 491, "\"}]}}");
	check(t, text);
	assert_int_equal(errors.n, 1);
	assert_string_equal(errors.at[0].code, "too_long");
	n = (size_t)snprintf(text, sizeof(text),
			     "{\"external_info\":{\"required\":true,\"declarations\":[{\"action\":"
			     "\"tool_call\",\"target\":\"a.b\"," WHY ",\"params\":{\"x\":0");
	for (int i = 0; i < KH_OPERATION_ARGUMENTS_MAX; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, ",\"a%d\":%d", i, i);
	snprintf(text + n, sizeof(text) - n, "}}]}}");
	check(t, text);
	assert_int_equal(errors.n, 1);
	assert_string_equal(errors.at[0].code, "too_many");
}

static const struct kh_test_case cases[] = {KH_TEST(test_actions), KH_TEST(test_several), KH_TEST(test_refused),
					    KH_TEST(test_limits)};
KH_TEST_MAIN(cases)
