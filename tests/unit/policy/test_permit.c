#include "core/policy/permit.h"
#include "harness.h"

static const char text[] =
	"policy:\n"
	"  operations:\n"
	"    - {name: comm.fetch, hosts: [example.com, '*.example.org']}\n"
	"    - {name: comm.read, paths: [/srv/docs]}\n"
	"    - {name: comm.query, statements: [{name: orders, database: shop, sql: select 1}]}\n"
	"    - {name: comm.exec, commands: [{name: log, argv: [/usr/bin/git, log]}]}\n"
	"  tools:\n"
	"    - name: mail__send\n"
	"      content_parameters: [body]\n"
	"      destinations:\n"
	"        - {origin: '*.example.com', parameter: to, to: ['*@example.com', boss@example.org]}\n"
	"    - name: notes__*\n"
	"      content_parameters: [text]\n"
	"      destinations: [{origin: '*'}]\n";

/* The code that a call is refused with; "" where it is permitted. */
static const char *permit(struct kh_test *t, const struct kh_policy *policy, const char *operation,
			  const char *parameters)
{
	static const struct kh_permit_origin origins[] = {{KH_LIT_INIT("b1"), KH_LIT_INIT("www.example.com")},
							  {KH_LIT_INIT("b2"), KH_LIT_INIT("evil.org")}};
	struct kh_permit_call call = {.operation = kh_view_str(operation), .origins = origins, .origin_count = 2};
	struct kh_view path;

	must(t, kh_json_read(&t->arena, kh_view_str(parameters), &call.parameters, &t->err));
	const struct kh_policy_rule *rule = kh_policy_rule(policy, &t->arena, call.operation, KH_LIT(""), &path);
	enum kh_err e = kh_permit_arguments(&t->arena, rule, &call, &t->err);
	if (e == KH_EREFUSED)
		return t->err.code;
	must(t, e);
	return "";
}

/* COMPAT.md section 5: authorising on arguments, not only names. */
static void test_arguments(struct kh_test *t)
{
	static const char *const all[][3] = {
		{"comm.fetch", "{\"url\":\"https://example.com/a\"}", ""},
		{"comm.fetch", "{\"url\":\"https://a.example.org/a\"}", ""},
		{"comm.fetch", "{\"url\":\"https://example.org/a\"}", "DOMAIN_BLOCKED"},
		{"comm.fetch", "{\"url\":\"https://example.com.evil.org/\"}", "DOMAIN_BLOCKED"},
		{"comm.fetch", "{\"url\":\"https://example.com@evil.org/\"}", "bad_url"},
		{"comm.fetch", "{\"url\":\"http://example.com/\"}", "bad_url"},
		{"comm.fetch", "{\"url\":7}", "parameter_missing"},
		{"comm.fetch", "{}", "parameter_missing"},
		{"comm.read", "{\"path\":\"/srv/docs/a.txt\"}", ""},
		{"comm.read", "{\"path\":\"/srv/docs/../../etc/passwd\"}", "path_not_allowed"},
		{"comm.read", "{\"path\":\"/srv/docs\\u0000/x\"}", "path_not_allowed"},
		{"comm.read", "{\"path\":\"a.txt\"}", "path_not_allowed"},
		{"comm.query", "{\"database\":\"shop\",\"statement\":\"orders\"}", ""},
		{"comm.query", "{\"database\":\"other\",\"statement\":\"orders\"}", "statement_not_allowed"},
		{"comm.query", "{\"database\":\"shop\",\"statement\":\"select * from users\"}",
		 "statement_not_allowed"},
		{"comm.query", "{\"statement\":\"orders\"}", "parameter_missing"},
		{"comm.exec", "{\"command\":\"log\"}", ""},
		{"comm.exec", "{\"command\":\"/usr/bin/git\"}", "command_not_allowed"},
		{"comm.search", "{\"query\":\"x\"}", ""},
	};
	const struct kh_policy *policy;

	must(t, kh_policy_read(&t->arena, kh_view_str(text), KH_LIT(""), &policy, &t->err));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_string_equal(permit(t, policy, all[i][0], all[i][1]), all[i][2]);
	/* E9: the default policy names no path, statement or command: there is nothing to read, query or run. */
	must(t, kh_policy_default(&t->arena, &policy, &t->err));
	assert_string_equal(permit(t, policy, "comm.read", "{\"path\":\"/etc/passwd\"}"), "path_not_allowed");
	assert_string_equal(permit(t, policy, "comm.exec", "{\"command\":\"ls\"}"), "command_not_allowed");
	assert_string_equal(permit(t, policy, "comm.fetch", "{\"url\":\"https://any.example/\"}"), "");
}

/* K8: sealed content goes where the policy says for its origin, and nowhere else. */
static void test_content(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"{\"to\":\"a@example.com\",\"body\":{\"$block\":\"b1\"}}", ""},
		{"{\"to\":\"boss@example.org\",\"body\":{\"$block\":\"b1\"}}", ""},
		{"{\"to\":[\"a@example.com\",\"b@example.com\"],\"body\":{\"$block\":\"b1\"}}", ""},
		{"{\"to\":\"a@evil.org\",\"body\":{\"$block\":\"b1\"}}", "content_not_allowed"},
		{"{\"to\":\"x@evil.org,a@example.com\",\"body\":{\"$block\":\"b1\"}}", "content_not_allowed"},
		{"{\"to\":\"x@evil.org <a@example.com\",\"body\":{\"$block\":\"b1\"}}", "content_not_allowed"},
		{"{\"to\":[\"a@example.com\",\"x@evil.org\"],\"body\":{\"$block\":\"b1\"}}", "content_not_allowed"},
		{"{\"to\":[],\"body\":{\"$block\":\"b1\"}}", "content_not_allowed"},
		{"{\"body\":{\"$block\":\"b1\"}}", "content_not_allowed"},
		{"{\"to\":\"a@example.com\",\"body\":{\"$block\":\"b2\"}}", "content_not_allowed"},    /* its origin */
		{"{\"to\":\"a@example.com\",\"body\":{\"$block\":\"b9\"}}", "content_not_allowed"},    /* unknown */
		{"{\"to\":\"a@example.com\",\"subject\":{\"$block\":\"b1\"}}", "content_not_allowed"}, /* not marked */
		{"{\"to\":\"a@example.com\",\"body\":[{\"$block\":\"b1\"}]}", "content_not_allowed"},
		{"{\"to\":\"a@example.com\",\"body\":{\"x\":{\"$block\":\"b1\"}}}", "content_not_allowed"},
		{"{\"to\":\"a@example.com\",\"body\":{\"$block\":\"b1\",\"x\":1}}", "content_not_allowed"},
		{"{\"to\":\"a@example.com\",\"body\":{\"$block\":1}}", "content_not_allowed"},
		{"{\"to\":{\"$block\":\"b1\"},\"body\":\"x\"}", "content_not_allowed"},
		{"{\"to\":\"a@evil.org\",\"body\":\"plain\"}", ""},
	};
	const struct kh_policy *policy;

	must(t, kh_policy_read(&t->arena, kh_view_str(text), KH_LIT(""), &policy, &t->err));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_string_equal(permit(t, policy, "comm.mcp.mail.send", all[i][0]), all[i][1]);
	assert_string_equal(permit(t, policy, "comm.mcp.notes.add", "{\"text\":{\"$block\":\"b2\"}}"), "");
	/* K8: the default is nowhere. */
	assert_string_equal(permit(t, policy, "comm.mcp.other.add", "{\"text\":{\"$block\":\"b1\"}}"),
			    "content_not_allowed");
	assert_string_equal(permit(t, policy, "comm.search", "{\"query\":{\"$block\":\"b1\"}}"), "content_not_allowed");
}

/* E5: the bytes that an agent can choose in what goes out. */
static void test_egress(struct kh_test *t)
{
	static const struct {
		const char *operation, *parameters;
		uint64_t bytes;
		bool network;
	} all[] = {
		{"comm.fetch", "{\"url\":\"https://a.com/bc?d\"}", 10, true},
		{"comm.search", "{\"query\":\"four\"}", 4, true},
		{"comm.search", "{\"query\":\"four\",\"scope\":\"web\"}", 4, true},
		{"comm.search", "{\"query\":\"four\",\"scope\":\"internal\"}", 0, false},
		{"comm.read", "{\"path\":\"/a\"}", 0, false},
		{"comm.mcp.a.b", "{\"key\":\"text\",\"n\":1,\"l\":[true,\"ab\"]}", 3 + 4 + 1 + 8 + 1 + 2 + 3, true},
		{"comm.mcp.a.b", "{}", 0, true},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_permit_call call = {.operation = kh_view_str(all[i].operation)};
		must(t, kh_json_read(&t->arena, kh_view_str(all[i].parameters), &call.parameters, &t->err));
		assert_int_equal(kh_permit_egress(&call), all[i].bytes);
		assert_int_equal(kh_permit_is_network(&call, KH_TIER_2), all[i].network);
	}
	struct kh_permit_call local = {.operation = KH_LIT("comm.mcp.a.b")};
	assert_false(kh_permit_is_network(&local, KH_TIER_1));
}

static const struct kh_test_case cases[] = {KH_TEST(test_arguments), KH_TEST(test_content), KH_TEST(test_egress)};
KH_TEST_MAIN(cases)
