/* U8: the servers of clients' configurations. */
#include "cli/upstream/clientfile.h"

#include "cli/upstream/relaxed.h"
#include "cli/upstream/secretive.h"
#include "harness.h"

static const struct kh_clientfile_server *servers(struct kh_test *t, const char *text, size_t count)
{
	struct kh_list list = {NULL, 0};

	must(t, kh_clientfile_read(&t->arena, kh_view_str(text), &list, &t->err));
	assert_int_equal(list.n, count);
	return list.at;
}

/* Comments and commas before a bracket are no part of it; those in strings are. */
static void test_relaxed(struct kh_test *t)
{
	yyjson_val *root;

	must(t, kh_relaxed_read(
			&t->arena,
			KH_LIT("// a\n{\"a\": \"// no, /* no */ ,}\", /* x\n, */ \"b\": [1, 2, ], \"c\": \"\\\\\", }"),
			&root, &t->err));
	assert_view(kh_json_str(kh_json_get(root, "a")), "// no, /* no */ ,}");
	assert_int_equal(yyjson_arr_size(kh_json_get(root, "b")), 2);
	assert_view(kh_json_str(kh_json_get(root, "c")), "\\");
	must_fail(t, KH_EINPUT, kh_relaxed_read(&t->arena, KH_LIT("{\n\"a\": 1 /* no end"), &root, &t->err));
	must_fail(t, KH_EINPUT, kh_relaxed_read(&t->arena, KH_LIT("{\n\"a\": x}"), &root, &t->err));
	assert_non_null(strstr(t->err.detail, "line 2"));
	must_fail(t, KH_EINPUT, kh_relaxed_read(&t->arena, KH_LIT("{\"a\": 1,,}"), &root, &t->err));
}

static void test_json(struct kh_test *t)
{
	const struct kh_clientfile_server *s = servers(
		t,
		"\xef\xbb\xbf{\"mcpServers\": {\"a\": {\"command\": \"npx\", \"args\": [\"-y\", \"x\"], \"env\": "
		"{\"A\": \"b\","
		"\"N\": 7, \"R\": \"${TOKEN}\"}, \"trust\": true}, \"b\": {\"httpUrl\": \"https://b/\", \"headers\":"
		"{\"Authorization\": \"Bearer ${env:T}\"}, \"disabled\": true}}}",
		2);
	const struct kh_clientfile_open *open = s[0].open.at;

	assert_view(s[0].name, "a");
	assert_int_equal(s[0].argv.n, 3);
	assert_view(s[0].argv.at[2], "x");
	assert_int_equal(s[0].values.n, 2);
	assert_view(s[0].values.at[1].text, "7");
	assert_int_equal(s[0].open.n, 1);
	assert_view(open[0].name, "R");
	assert_view(open[0].from, "the variable \"TOKEN\"");
	assert_int_equal(s[0].strange.n, 1);
	assert_view(s[0].strange.at[0], "\"trust\"");
	assert_int_equal(s[0].problem.n, 0);
	open = s[1].open.at;
	assert_view(s[1].url, "https://b/");
	assert_true(s[1].is_off);
	assert_view(open[0].scheme, "Bearer");
}

static void test_toml(struct kh_test *t)
{
	const struct kh_clientfile_server *s = servers(
		t,
		"[mcp_servers.a]\ncommand = '/bin/a'\nenv_vars = ['T']\ntool_timeout_sec = 12.5\n"
		"[mcp_servers.b]\nurl = 'https://b/'\nbearer_token_env_var = 'B'\nenv_http_headers = {X = 'Y'}\n",
		2);

	assert_int_equal(s[0].timeout_seconds, 12);
	assert_int_equal(s[0].open.n, 1);
	assert_int_equal(s[1].open.n, 2);
}

/* What is wrong with one server is said of it; what is wrong with the file is an error. */
static void test_problems(struct kh_test *t)
{
	static const char *const all[] = {
		"[]",
		"{\"command\": 1}",
		"{\"command\": \"a\", \"args\": {}}",
		"{}",
		"{\"command\": \"a\", \"args\": [1]}",
		"{\"command\": \"a\", \"env\": {\"A\": null}}",
		"{\"url\": 1}",
		"{\"url\": \"x${A}\"}",
		"{\"command\": \"a\", \"env\": {\"A\": \"x${B}y\"}}",
		"null",
		"{\"command\": \"a\", \"env\": []}",
	};
	static const char *const bad[] = {"", "[]", "{}", "{\"mcpServers\": 1}", "{\"mcpServers\": {}", "x", "a = 1"};
	struct kh_list list;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view text = kh_arena_printf(&t->arena, "{\"servers\": {\"a\": %s}}", all[i]);
		must(t, kh_arena_check(&t->arena));
		const struct kh_clientfile_server *s = servers(t, text.p, 1);
		if (s[0].problem.n == 0)
			print_error("no problem: %s\n", all[i]);
		assert_true(s[0].problem.n > 0);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		must_fail(t, KH_EINPUT, kh_clientfile_read(&t->arena, kh_view_str(bad[i]), &list, &t->err));
		assert_string_equal(t->err.code, "import_invalid");
	}
}

/* In doubt it is a secret. */
static void test_secretive(struct kh_test *t)
{
	static const char *const secret[][2] = {
		{"GITHUB_TOKEN", "x"},     {"api_key", "1"},
		{"DB_PASSWORD", "a"},      {"Authorization", "x"},
		{"A", "ghp_abc"},          {"A", "sk-ant-x"},
		{"A", "correct horse"},    {"A", "a\nb"},
		{"A", "Zm9vYmFyYmF6cXV4"}, {"A", "0123456789abcdef01"},
		{"URL", "https://u:p@h/"}, {"URL", "https://h/?k=1"},
		{"A", "a1b2c3d4"},         {"A", "p@ss!"},
		{"COOKIE", "a"},           {"A", "\xc3\xa4"},
	};
	static const char *const plain[][2] = {
		{"LOG_LEVEL", "debug"},     {"PORT", "8080"},
		{"REGION", "eu-central-1"}, {"URL", "https://api.example.com/v1"},
		{"ROOT", "/srv/docs(1)"},   {"A", ""},
		{"MODE", "read-only"},      {"LANG", "en_US.UTF-8"},
	};
	static const char *const arguments[][2] = {
		{"--api-key", "abc"},       {"", "--token=abc"}, {"", "xoxb-1"},
		{"", "postgres://u:p@h/d"}, {"", "PASSWORD=x"},  {"-k", "0123456789abcdef0123456789"},
	};
	static const char *const harmless[][2] = {
		{"-y", "@modelcontextprotocol/server-github"},
		{"--root", "/srv/0123456789abcdef0123"},
		{"", "--verbose"},
		{"--port", "8080"},
		{"", "stdio"},
		{"", "https://mcp.example.com/mcp"},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
		assert_true(kh_secretive_value(kh_view_str(secret[i][0]), kh_view_str(secret[i][1])));
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		assert_false(kh_secretive_value(kh_view_str(plain[i][0]), kh_view_str(plain[i][1])));
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
		assert_true(kh_secretive_argument(kh_view_str(arguments[i][0]), kh_view_str(arguments[i][1])));
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		assert_false(kh_secretive_argument(kh_view_str(harmless[i][0]), kh_view_str(harmless[i][1])));
}

static const struct kh_test_case cases[] = {KH_TEST(test_relaxed), KH_TEST(test_json), KH_TEST(test_toml),
					    KH_TEST(test_problems), KH_TEST_ONCE(test_secretive)};
KH_TEST_MAIN(cases)
