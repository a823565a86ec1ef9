#include "core/comm/operations.h"
#include "core/policy/config.h"
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
	"      destinations: [{origin: '*'}]\n"
	"    - name: files__*\n"
	"      content_parameters: [text]\n"
	"      destinations: [{origin: 'given:host'}]\n";

/* The row of OPERATION, or NULL. */
static const struct kh_operation *row_of(const char *operation)
{
	return strncmp(operation, "comm.mcp.", 9) == 0 ? kh_operation_upstream(&kh_operations_own)
						       : kh_operation_named(&kh_operations_own, kh_view_str(operation));
}

/* The code that a call is refused with; "" where it is permitted. */
static const char *permit(struct kh_test *t, const struct kh_policy *policy, const char *operation,
			  const char *parameters)
{
	static const struct kh_permit_origin origins[] = {
		{.block = KH_LIT_INIT("b1"), .origin = KH_LIT_INIT("www.example.com")},
		{.block = KH_LIT_INIT("b2"), .origin = KH_LIT_INIT("evil.org")},
		{.block = KH_LIT_INIT("b3"), .origin = KH_LIT_INIT("given:controller"), .chosen = 100},
		{.block = KH_LIT_INIT("b4"), .origin = KH_LIT_INIT("given:host")}};
	struct kh_permit_call call = {.operation = row_of(operation), .origins = origins, .origin_count = 4};
	struct kh_view path;

	must(t, kh_json_read(&t->arena, kh_view_str(parameters), &call.parameters, &t->err));
	const struct kh_policy_rule *rule = kh_policy_rule(policy, &t->arena, kh_view_str(operation), KH_LIT(""),
							   &path);
	enum kh_err e = kh_permit_arguments(&t->arena, rule, &call, &t->err);
	if (e == KH_EREFUSED)
		return t->err.code;
	must(t, e);
	return "";
}

/* E2, E5: nobody said what of its arguments a rule can allow, so nothing of it is allowed. */
static void test_no_permit(struct kh_test *t)
{
	static const struct kh_parameter_spec url[] = {{"url", KH_PARAMETER_URL, true, 2048, .host = true}};
	static const struct kh_parameter_spec both[] = {{"url", KH_PARAMETER_URL, true, 2048, .host = true},
							{"path", KH_PARAMETER_PATH, false, 64, .host = false}};
	static const struct kh_parameter_spec other[] = {{"other", KH_PARAMETER_URL, false, 2048, .host = false}};
	static const struct kh_operation rows[] = {
		{.name = "comm.other", .parameters = url, .parameter_count = 1},
		{.name = "comm.other", .parameters = url, .parameter_count = 1, .permit = KH_PERMIT_PATHS},
		{.name = "comm.other", .permit = KH_PERMIT_HOSTS},
		{.name = "comm.other", .parameters = both, .parameter_count = 2, .permit = KH_PERMIT_HOSTS},
		{.name = "comm.other", .parameters = other, .parameter_count = 1, .permit = KH_PERMIT_HOSTS},
		{.name = "comm.other", .parameters = url, .parameter_count = 1, .permit = KH_PERMIT_HOSTS},
	};
	const char *parameters = "{\"url\":\"https://example.com/\"}";
	const struct kh_policy *policy;
	struct kh_view path;

	must(t, kh_config_policy(&t->arena, KH_LIT(""), KH_LIT(""), &policy, &t->err));
	const struct kh_policy_rule *rule = kh_policy_rule(policy, &t->arena, KH_LIT("comm.fetch"), KH_LIT(""), &path);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kh_permit_call call = {.operation = &rows[i]};
		must(t, kh_json_read(&t->arena, kh_view_str(parameters), &call.parameters, &t->err));
		enum kh_err e = kh_permit_arguments(&t->arena, rule, &call, &t->err);
		if (i == sizeof(rows) / sizeof(rows[0]) -
				 1) { /* with what it lacked it passes: a new row needs nothing here */
			must(t, e);
			continue;
		}
		must_fail(t, KH_EREFUSED, e);
		assert_string_equal(t->err.code, "OPERATION_NOT_ALLOWED");
		assert_true(kh_permit_is_network(&call, KH_TIER_0));
	}
	assert_string_equal(permit(t, policy, "comm.other", parameters), "OPERATION_NOT_ALLOWED");
}

/* E5: of two parameters of a kind both are looked at, and one that need not be there only where it is. */
static void test_two(struct kh_test *t)
{
	static const struct kh_parameter_spec urls[] = {{"from", KH_PARAMETER_URL, true, 2048, .host = true},
							{"to", KH_PARAMETER_URL, false, 2048, .host = true}};
	static const struct kh_operation row = {
		.name = "comm.other", .parameters = urls, .parameter_count = 2, .permit = KH_PERMIT_HOSTS};
	static const char *const all[][2] = {
		{"{\"from\":\"https://example.com/\"}", ""},
		{"{\"from\":\"https://example.com/\",\"to\":\"https://a.example.org/\"}", ""},
		{"{\"from\":\"https://example.com/\",\"to\":\"https://evil.org/\"}", "DOMAIN_BLOCKED"},
		{"{\"from\":\"https://example.com/\",\"to\":7}", "parameter_missing"},
		{"{\"to\":\"https://example.com/\"}", "parameter_missing"},
	};
	const struct kh_policy *policy;
	struct kh_view path;

	must(t, kh_config_policy(&t->arena, kh_view_str(text), KH_LIT(""), &policy, &t->err));
	const struct kh_policy_rule *rule = kh_policy_rule(policy, &t->arena, KH_LIT("comm.fetch"), KH_LIT(""), &path);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_permit_call call = {.operation = &row};
		must(t, kh_json_read(&t->arena, kh_view_str(all[i][0]), &call.parameters, &t->err));
		enum kh_err e = kh_permit_arguments(&t->arena, rule, &call, &t->err);
		if (all[i][1][0] == '\0') {
			must(t, e);
			continue;
		}
		must_fail(t, KH_EREFUSED, e);
		assert_string_equal(t->err.code, all[i][1]);
	}
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

	must(t, kh_config_policy(&t->arena, kh_view_str(text), KH_LIT(""), &policy, &t->err));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_string_equal(permit(t, policy, all[i][0], all[i][1]), all[i][2]);
	/* E9: the default policy names no path, statement or command: there is nothing to read, query or run. */
	must(t, kh_config_policy(&t->arena, KH_LIT(""), KH_LIT(""), &policy, &t->err));
	assert_string_equal(permit(t, policy, "comm.read", "{\"path\":\"/etc/passwd\"}"), "path_not_allowed");
	assert_string_equal(permit(t, policy, "comm.exec", "{\"command\":\"ls\"}"), "command_not_allowed");
	assert_string_equal(permit(t, policy, "comm.fetch", "{\"url\":\"https://any.example/\"}"), "");
}

/* E4: databases, scopes, hosts with their ports, and patterns over arguments. */
static void test_patterns(struct kh_test *t)
{
	static const char rules[] =
		"policy:\n"
		"  operations:\n"
		"    - {name: comm.fetch, hosts: ['a.example:8443', 'b.example'], arguments: [{parameter: url, to: "
		"['https://**.pdf']}]}\n"
		"    - {name: comm.query, databases: [shop, 'log-*'], free_sql: allow,\n"
		"       arguments: [{parameter: params.customer, to: ['c*']}]}\n"
		"    - {name: comm.search, scopes: [internal, database]}\n"
		"    - {name: comm.exec, commands: [{name: log, argv: [/bin/x]}], arguments: [{parameter: args, to: "
		"['-*', main]}]}\n"
		"  tools:\n"
		"    - name: mail__send\n"
		"      content_parameters: [to, body]\n"
		"      destinations: [{origin: '*'}]\n"
		"      arguments:\n"
		"        - {parameter: to, to: ['*@example.com', boss@example.org]}\n"
		"        - {parameter: subject, to: ['**']}\n";
	static const char *const all[][3] = {
		{"comm.fetch", "{\"url\":\"https://a.example:8443/x.pdf\"}", ""},
		{"comm.fetch", "{\"url\":\"https://a.example/x.pdf\"}", "DOMAIN_BLOCKED"},
		{"comm.fetch", "{\"url\":\"https://b.example:1/x.pdf\"}", ""},
		{"comm.fetch", "{\"url\":\"https://b.example/x.html\"}", "argument_not_allowed"},
		{"comm.query", "{\"database\":\"shop\",\"statement\":\"s\",\"params\":{\"customer\":\"c1\"}}", ""},
		{"comm.query", "{\"database\":\"log-1\",\"statement\":\"s\",\"params\":{\"customer\":\"c1\"}}", ""},
		{"comm.query", "{\"database\":\"logs\",\"statement\":\"s\",\"params\":{\"customer\":\"c1\"}}",
		 "database_not_allowed"},
		{"comm.query", "{\"database\":\"Shop\",\"statement\":\"s\"}", "database_not_allowed"},
		{"comm.query", "{\"database\":\"shop\",\"statement\":\"s\",\"params\":{\"customer\":\"d1\"}}",
		 "argument_not_allowed"},
		{"comm.query", "{\"database\":\"shop\",\"statement\":\"s\",\"params\":[\"c1\"]}",
		 "argument_not_allowed"},
		{"comm.query", "{\"database\":\"shop\",\"statement\":\"s\"}", "argument_not_allowed"},
		/* A member whose name has the dot in it does not stand for the one that counts. */
		{"comm.query",
		 "{\"database\":\"shop\",\"statement\":\"s\",\"params.customer\":\"c1\",\"params\":{\"customer\":"
		 "\"d1\"}}",
		 "argument_not_allowed"},
		{"comm.query",
		 "{\"database\":\"shop\",\"statement\":\"s\",\"params.customer\":\"d1\",\"params\":{\"customer\":"
		 "\"c1\"}}",
		 "argument_not_allowed"},
		{"comm.search", "{\"query\":\"x\",\"scope\":\"internal\"}", ""},
		{"comm.search", "{\"query\":\"x\",\"scope\":\"database\"}", ""},
		{"comm.search", "{\"query\":\"x\",\"scope\":\"web\"}", "scope_not_allowed"},
		{"comm.search", "{\"query\":\"x\"}", "scope_not_allowed"},
		{"comm.search", "{\"query\":\"x\",\"scope\":\"Internal\"}", "scope_not_allowed"},
		{"comm.search", "{\"query\":\"x\",\"scope\":[\"internal\"]}", "scope_not_allowed"},
		{"comm.exec", "{\"command\":\"log\",\"args\":[\"-n\",\"main\"]}", ""},
		{"comm.exec", "{\"command\":\"log\",\"args\":[\"-n\",\"other\"]}", "argument_not_allowed"},
		{"comm.exec", "{\"command\":\"log\",\"args\":[]}", "argument_not_allowed"},
		{"comm.exec", "{\"command\":\"log\",\"args\":[\"-n\",7]}", "argument_not_allowed"},
		{"comm.exec", "{\"command\":\"log\"}", "argument_not_allowed"},
		{"comm.mcp.mail.send", "{\"to\":\"a@example.com\",\"subject\":\"a, b\"}", ""},
		{"comm.mcp.mail.send", "{\"to\":[\"a@example.com\",\"boss@example.org\"],\"subject\":\"a\"}", ""},
		{"comm.mcp.mail.send", "{\"to\":\"x@evil.org,a@example.com\",\"subject\":\"a\"}",
		 "argument_not_allowed"},
		{"comm.mcp.mail.send", "{\"to\":[\"a@example.com\",\"x@evil.org\"],\"subject\":\"a\"}",
		 "argument_not_allowed"},
		{"comm.mcp.mail.send", "{\"to\":[[\"a@example.com\"]],\"subject\":\"a\"}", "argument_not_allowed"},
		{"comm.mcp.mail.send", "{\"to\":\"\",\"subject\":\"a\"}", "argument_not_allowed"},
		{"comm.mcp.mail.send", "{\"to\":true,\"subject\":\"a\"}", "argument_not_allowed"},
		{"comm.mcp.mail.send", "{\"to\":\"a@example.com\"}", "argument_not_allowed"},
		/* K8: sealed content matches no pattern, wherever it may go. */
		{"comm.mcp.mail.send", "{\"to\":{\"$block\":\"b1\"},\"subject\":\"a\"}", "argument_not_allowed"},
		{"comm.mcp.mail.send", "{\"to\":\"a@example.com\",\"subject\":\"a\",\"body\":{\"$block\":\"b1\"}}", ""},
	};
	const struct kh_policy *policy;

	must(t, kh_config_policy(&t->arena, kh_view_str(rules), KH_LIT(""), &policy, &t->err));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *code = permit(t, policy, all[i][0], all[i][1]);
		if (strcmp(code, all[i][2]) != 0)
			print_error("%s: %s\n", all[i][1], code);
		assert_string_equal(code, all[i][2]);
	}
}

/* E5: what goes to a server of databases leaves too; what stays on this machine does not. */
static void test_remote(struct kh_test *t)
{
	static const char databases[] =
		"databases:\n  - {name: far, host: db.example, dbname: a, user: b}\n"
		"  - {name: v4, host: 127.0.0.1, dbname: a, user: b, local: true}\n"
		"  - {name: v6, host: '[::1]', dbname: a, user: b, local: true}\n"
		"  - {name: like, host: 127.example, dbname: a, user: b}\n"
		"  - {name: private, host: 10.0.0.1, dbname: a, user: b, local: true}\n"
		"  - {name: sock, host: /run/pg, dbname: a, user: b}\n  - {name: file, file: /a.db}\n";
	static const struct {
		const char *parameters;
		uint64_t bytes;
		bool remote;
	} all[] = {
		{"{\"database\":\"far\",\"statement\":\"abc\",\"params\":{\"k\":\"four\",\"n\":1}}", 3 + 1 + 4 + 1 + 8,
		 true},
		{"{\"database\":\"far\",\"statement\":\"abc\"}", 3, true},
		{"{\"database\":\"private\",\"statement\":\"abc\"}", 3, true},
		{"{\"database\":\"like\",\"statement\":\"abc\"}", 3, true},
		{"{\"database\":\"v4\",\"statement\":\"abc\"}", 0, false},
		{"{\"database\":\"v6\",\"statement\":\"abc\"}", 0, false},
		{"{\"database\":\"sock\",\"statement\":\"abc\"}", 0, false},
		{"{\"database\":\"file\",\"statement\":\"abc\"}", 0, false},
		{"{\"database\":\"unknown\",\"statement\":\"abc\"}", 0, false},
	};
	struct kh_view searched = kh_arena_printf(
		&t->arena, "%ssearch: {tables: [{database: far, table: a, columns: [b]}]}\n", databases);
	const struct kh_policy *policy;

	must(t, kh_arena_check(&t->arena));
	must(t, kh_config_policy(&t->arena, kh_view_str(databases), KH_LIT(""), &policy, &t->err));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_permit_call call = {.operation = row_of("comm.query")};
		must(t, kh_json_read(&t->arena, kh_view_str(all[i].parameters), &call.parameters, &t->err));
		call.is_remote = kh_permit_is_remote(policy, &call);
		assert_int_equal(call.is_remote, all[i].remote);
		assert_int_equal(kh_permit_egress(&call), all[i].bytes);
		assert_int_equal(kh_permit_is_network(&call, KH_TIER_0), all[i].remote);
	}
	struct kh_permit_call search = {.operation = row_of("comm.search")};
	must(t, kh_json_read(&t->arena, KH_LIT("{\"query\":\"four\",\"scope\":\"database\"}"), &search.parameters,
			     &t->err));
	assert_false(kh_permit_is_remote(policy, &search));
	must(t, kh_config_policy(&t->arena, searched, KH_LIT(""), &policy, &t->err));
	search.is_remote = kh_permit_is_remote(policy, &search);
	assert_true(search.is_remote && kh_permit_is_network(&search, KH_TIER_0));
	assert_int_equal(kh_permit_egress(&search), 4);
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
		{"{\"to\":\"a@example.com\",\"body\":[{\"$block\":\"b1\"}]}", ""}, /* an item of it */
		{"{\"to\":\"a@example.com\",\"body\":[{\"$block\":\"b1\"},{\"$block\":\"b2\"}]}",
		 "content_not_allowed"},
		{"{\"to\":\"a@example.com\",\"body\":[[{\"$block\":\"b1\"}]]}", "content_not_allowed"},
		{"{\"to\":\"a@example.com\",\"body\":{\"x\":{\"$block\":\"b1\"}}}", ""},
		{"{\"to\":\"a@example.com\",\"body\":{\"x\":{\"y\":{\"$block\":\"b1\"}}}}", "content_not_allowed"},
		{"{\"to\":\"a@example.com\",\"body\":{\"$block\":\"b1\",\"x\":1}}", "content_not_allowed"},
		{"{\"to\":\"a@example.com\",\"body\":{\"$block\":1}}", "content_not_allowed"},
		{"{\"to\":{\"$block\":\"b1\"},\"body\":\"x\"}", "content_not_allowed"},
		{"{\"to\":\"a@evil.org\",\"body\":\"plain\"}", ""},
	};
	const struct kh_policy *policy;

	must(t, kh_config_policy(&t->arena, kh_view_str(text), KH_LIT(""), &policy, &t->err));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_string_equal(permit(t, policy, "comm.mcp.mail.send", all[i][0]), all[i][1]);
	assert_string_equal(permit(t, policy, "comm.mcp.notes.add", "{\"text\":{\"$block\":\"b2\"}}"), "");
	/* What was put in goes only where the policy names it as put in, by that role; `*` does not. */
	assert_string_equal(permit(t, policy, "comm.mcp.notes.add", "{\"text\":{\"$block\":\"b3\"}}"),
			    "content_not_allowed");
	assert_string_equal(permit(t, policy, "comm.mcp.notes.add", "{\"text\":{\"$block\":\"b4\"}}"),
			    "content_not_allowed");
	assert_string_equal(permit(t, policy, "comm.mcp.files.add", "{\"text\":{\"$block\":\"b4\"}}"), "");
	assert_string_equal(permit(t, policy, "comm.mcp.files.add", "{\"text\":{\"$block\":\"b3\"}}"),
			    "content_not_allowed");
	assert_string_equal(permit(t, policy, "comm.mcp.files.add", "{\"text\":{\"$block\":\"b1\"}}"),
			    "content_not_allowed");
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
		struct kh_permit_call call = {.operation = row_of(all[i].operation)};
		must(t, kh_json_read(&t->arena, kh_view_str(all[i].parameters), &call.parameters, &t->err));
		assert_int_equal(kh_permit_egress(&call), all[i].bytes);
		assert_int_equal(kh_permit_is_network(&call, KH_TIER_2), all[i].network);
	}
	struct kh_permit_call local = {.operation = row_of("comm.mcp.a.b")};
	assert_false(kh_permit_is_network(&local, KH_TIER_1));
}

/* --- random rules and calls, against the obvious way -------------------------------------------------------------- */

static uint32_t below(uint64_t *state, uint32_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % n;
}

static const char *pick(uint64_t *state, const char *const *from, uint32_t n)
{
	return from[below(state, n)];
}

/* One star takes letters and dots, two take anything; no pattern or value here has more. */
static bool matches(const char *p, const char *v)
{
	bool wide = p[0] == '*' && p[1] == '*';

	if (p[0] == '*')
		return matches(p + (wide ? 2 : 1), v) ||
		       (*v != '\0' && (wide || strchr("abc.", *v)) && matches(p, v + 1));
	return *p == *v && (*p == '\0' || matches(p + 1, v + 1));
}

/* At most three texts, as a rule and a call have them. */
struct some {
	const char *at[3];
	uint32_t n;
};

static struct some few(uint64_t *state, const char *const *from, uint32_t n, uint32_t min)
{
	struct some some = {.n = min + below(state, 4 - min)};

	for (uint32_t i = 0; i < some.n; i++)
		some.at[i] = pick(state, from, n);
	return some;
}

static bool any(const struct some *patterns, const char *value)
{
	for (uint32_t i = 0; i < patterns->n; i++) {
		if (matches(patterns->at[i], value))
			return true;
	}
	return false;
}

/* "[a, b]" of YAML and of JSON. */
static struct kh_view listed(struct kh_test *t, const struct some *some)
{
	struct kh_view said = KH_LIT("[");

	for (uint32_t i = 0; i < some->n; i++)
		said = kh_arena_printf(&t->arena, "%.*s%s\"%s\"", KH_FMT(said), i ? "," : "", some->at[i]);
	said = kh_arena_printf(&t->arena, "%.*s]", KH_FMT(said));
	must(t, kh_arena_check(&t->arena));
	return said;
}

/* A rule of comm.query with databases and two arguments, and a call; what the rule says of it by the obvious way. */
static void random_call(struct kh_test *t, uint64_t *state)
{
	static const char *const names[] = {"a", "b", "a.b", "ab", "a*", "*b", "*"};
	static const char *const patterns[] = {"a*", "*b", "**", "a**c", "*,*", "b", "*a*", "a b", "**b*"};
	static const char *const values[] = {"a", "b", "ab", "a,b", "abc", "a b", "", "a.b", "c, b"};
	struct some databases = few(state, names, 7, 1), first = few(state, patterns, 9, 1),
		    second = few(state, patterns, 9, 1), list = few(state, values, 9, 0);
	const char *database = pick(state, names, 4), *said = pick(state, values, 9);
	bool has_text = below(state, 8) > 0, nested = below(state, 2), has_list = below(state, 8) > 0;
	struct kh_view d = listed(t, &databases), one = listed(t, &first), two = listed(t, &second),
		       l = listed(t, &list);
	struct kh_view rules = kh_arena_printf(
		&t->arena,
		"policy:\n  operations:\n    - name: comm.query\n      free_sql: allow\n      databases: %.*s\n"
		"      arguments:\n        - {parameter: %s, to: %.*s}\n        - {parameter: list, to: %.*s}\n",
		KH_FMT(d), nested ? "in.text" : "text", KH_FMT(one), KH_FMT(two));
	struct kh_view member =
		has_text ? kh_arena_printf(&t->arena, nested ? ",\"in\":{\"text\":\"%s\"}" : ",\"text\":\"%s\"", said)
			 : KH_LIT("");
	struct kh_view call = kh_arena_printf(&t->arena, "{\"statement\":\"s\",\"database\":\"%s\"%.*s%s%.*s}",
					      database, KH_FMT(member), has_list ? ",\"list\":" : "",
					      KH_FMT(has_list ? l : KH_LIT("")));
	const struct kh_policy *policy;
	bool in_list = has_list && list.n > 0;

	must(t, kh_arena_check(&t->arena));
	for (uint32_t i = 0; i < list.n; i++)
		in_list = in_list && list.at[i][0] != '\0' && any(&second, list.at[i]);
	bool in_text = has_text && said[0] != '\0' && any(&first, said);
	struct some globs = databases;
	for (uint32_t i = 0; i < globs.n; i++) /* of a name, one star takes anything */
		globs.at[i] = strcmp(globs.at[i], "*") == 0    ? "**"
			      : strcmp(globs.at[i], "a*") == 0 ? "a**"
			      : strcmp(globs.at[i], "*b") == 0 ? "**b"
							       : globs.at[i];
	const char *want = !any(&globs, database) ? "database_not_allowed"
			   : in_text && in_list   ? ""
						  : "argument_not_allowed";
	must(t, kh_config_policy(&t->arena, rules, KH_LIT(""), &policy, &t->err));
	const char *code = permit(t, policy, "comm.query", call.p);
	if (strcmp(code, want) != 0)
		print_error("%.*s%.*s\n%s, wanted %s\n", KH_FMT(rules), KH_FMT(call), code, want);
	assert_string_equal(code, want);
}

/* E4: what a rule says of a call's arguments, for many of both. */
static void test_random(struct kh_test *t)
{
	uint64_t state = 7;

	for (unsigned i = 0; i < 4000; i++) {
		random_call(t, &state);
		kh_arena_clear(&t->arena);
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_arguments), KH_TEST(test_no_permit),  KH_TEST(test_two),
					    KH_TEST(test_patterns),  KH_TEST(test_remote),     KH_TEST(test_content),
					    KH_TEST(test_egress),    KH_TEST_ONCE(test_random)};
KH_TEST_MAIN(cases)
