#include "core/comm/contract.h"
#include "harness.h"

static struct kh_view call(struct kh_test *t, kh_call_fn *fn, struct kh_view in)
{
	struct kh_call c = {.arena = &t->arena,
			    .doc = kh_json_new(&t->arena),
			    .now = INT64_C(1769855400000000),
			    .nonce = {0xde, 0xad, 0xbe, 0xef}};
	yyjson_mut_val *out = NULL;
	struct kh_view text;
	yyjson_val *val;

	must(t, kh_arena_check(&t->arena));
	must(t, kh_json_read(&t->arena, in, &val, &t->err));
	must(t, fn(&c, val, &out, &t->err));
	must(t, kh_json_write(&t->arena, out, &text));
	return text;
}

#define WRAP(operation)                                                                                 \
	"{\"content\":\"Price: 7 EUR\",\"source\":\"https://example.com/p\",\"operation\":\"" operation \
	"\",\"session_id\":\"s1\"}"

/* C5, E10, E11: wrap and back; the short name of an operation and the full one mean the same. */
static void test_fence(struct kh_test *t)
{
	struct kh_view wrapped = call(t, kh_comm_contract_wrap, KH_LIT(WRAP("fetch")));
	struct kh_view full = call(t, kh_comm_contract_wrap, KH_LIT(WRAP("comm.fetch")));
	struct kh_view back = call(t, kh_comm_contract_unwrap, wrapped);

	assert_true(kh_view_eq(wrapped, full));
	assert_true(kh_view_starts(wrapped,
				   KH_LIT("{\"content\":\"Price: 7 EUR\",\"marker\":\"UNTRUSTED_EXTERNAL_CONTENT\","
					  "\"nonce\":\"deadbeef000000000000000000000000\",\"source\":"
					  "\"https://example.com/p\",\"warning\":\"")));
	assert_true(kh_view_starts(back, KH_LIT("{\"content\":\"Price: 7 EUR\",\"metadata\":{\"attribution\":"
						"\"CommunicationOS (fetch) in session s1\",\"source\":"
						"\"https://example.com/p\",\"timestamp\":\"2026-01-31T10:30:00Z\","
						"\"trust_level\":\"UNTRUSTED_EXTERNAL_CONTENT\",\"operation\":"
						"\"comm.fetch\",\"session_id\":\"s1\",\"content_hash\":\"")));
	wrapped = call(
		t, kh_comm_contract_wrap,
		KH_LIT("{\"content\":\"\",\"source\":\"x\",\"operation\":\"mcp.files.read\",\"session_id\":\"s1\","
		       "\"audit_id\":\"ev-7\"}"));
	back = call(t, kh_comm_contract_unwrap, wrapped);
	assert_true(kh_view_starts(back, KH_LIT("{\"content\":\"\",\"metadata\":{\"attribution\":\"CommunicationOS "
						"(mcp.files.read) in session s1\"")));
	assert_true(kh_view_find(back, KH_LIT("\"audit_id\":\"ev-7\""), 0) != SIZE_MAX);
}

/* C5: what is refused is said in the contract's form. */
static void test_fence_refused(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"[]", "{\"error\":{\"code\":\"wrong_type\",\"detail\":\"expected an object, not array\"}}"},
		{"{\"source\":\"x\",\"operation\":\"fetch\",\"session_id\":\"s1\"}",
		 "{\"error\":{\"code\":\"missing\",\"member\":\"content\",\"detail\":\"content is missing\"}}"},
		{"{\"content\":1,\"source\":\"x\",\"operation\":\"fetch\",\"session_id\":\"s1\"}",
		 "{\"error\":{\"code\":\"wrong_type\",\"member\":\"content\",\"detail\":\"expected a string, not "
		 "number\"}}"},
		{"{\"content\":\"\",\"source\":\"x\",\"operation\":\"fetch\",\"session_id\":\"s1\",\"trust\":\"high\"}",
		 "{\"error\":{\"code\":\"unknown_member\",\"member\":\"trust\",\"detail\":\"no member of this name is "
		 "known "
		 "here\"}}"},
		{"{\"content\":\"\",\"source\":\"x\",\"operation\":\"upload\",\"session_id\":\"s1\"}",
		 "{\"error\":{\"code\":\"operation_unknown\",\"member\":\"operation\",\"detail\":\"no operation "
		 "\\\"comm.upload\\\" is registered\"}}"},
		{"{\"content\":\"\",\"source\":\"\",\"operation\":\"fetch\",\"session_id\":\"s1\"}",
		 "{\"error\":{\"code\":\"empty\",\"member\":\"source\",\"detail\":\"the source is empty\"}}"},
		{"{\"content\":\"\",\"source\":\"x\",\"operation\":\"fetch\",\"session_id\":\"\"}",
		 "{\"error\":{\"code\":\"session_malformed\",\"member\":\"session_id\",\"detail\":\"session_id is not "
		 "of the "
		 "form [A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}\"}}"},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_view(call(t, kh_comm_contract_wrap, kh_view_str(all[i][0])), all[i][1]);
	assert_view(call(t, kh_comm_contract_unwrap, KH_LIT("{}")),
		    "{\"error\":{\"code\":\"changed\",\"member\":\"content\",\"detail\":\"there is no content\"}}");
	assert_view(call(t, kh_comm_contract_unwrap, KH_LIT("7")),
		    "{\"error\":{\"code\":\"wrong_type\",\"detail\":\"expected a fenced object, not number\"}}");
}

/* C6, E3: a verdict on declarations in each form. */
static void test_check(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"{\"operation\":\"comm.fetch\",\"url\":\"https://example.com/api/data\",\"reason\":\"Need product "
		 "pricing data "
		 "for customer query\"}",
		 "{\"ok\":true,\"operation\":\"comm.fetch\"}"},
		{"{\"external_info\":{\"required\":true,\"declarations\":[{\"action\":\"web_search\",\"target\":"
		 "\"Product X "
		 "price\",\"reason\":\"Compare prices of Product "
		 "X\"},{\"action\":\"file_read\",\"target\":\"notes.txt\","
		 "\"reason\":\"Compare prices of Product X\"}]}}",
		 "{\"ok\":true,\"operation\":\"comm.search\",\"operations\":[\"comm.search\",\"comm.read\"]}"},
		{"{\"operation\":\"comm.fetch\",\"url\":\"http://example.com/\",\"reason\":\"because\"}",
		 "{\"ok\":false,\"errors\":[{\"code\":\"bad_url\",\"member\":\"url\",\"detail\":\"not an https URL: it "
		 "does not "
		 "begin with https://\"},{\"code\":\"too_short\",\"member\":\"reason\",\"detail\":\"has 7 characters, "
		 "at least "
		 "10 are needed\"}]}"},
		{"[]",
		 "{\"ok\":false,\"errors\":[{\"code\":\"wrong_type\",\"detail\":\"expected an object, not array\"}]}"},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_view(call(t, kh_comm_contract_check, kh_view_str(all[i][0])), all[i][1]);
}

static const struct kh_test_case cases[] = {KH_TEST(test_fence), KH_TEST(test_fence_refused), KH_TEST(test_check)};
KH_TEST_MAIN(cases)
