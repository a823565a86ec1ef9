/* U1, U2, I8: the section `upstreams`. */
#include "core/policy/upstreams.h"

#include "core/policy/config.h"
#include "harness.h"

static enum kh_err config(struct kh_test *t, const char *text, const struct kh_config **ret)
{
	return kh_config_read(&t->arena, kh_view_str(text), KH_LIT("k.yaml"), ret, &t->err);
}

/* U1: a program and a URL, with what is not said filled in. */
static void test_both_kinds(struct kh_test *t)
{
	const struct kh_config *c;

	must(t,
	     config(t,
		    "upstreams:\n"
		    "  - name: git\n    command: [/usr/bin/node, server.js, '']\n    network: ['api.example.com:443']\n"
		    "    env: {A: '1', B: two}\n    secrets: {TOKEN: git.token}\n"
		    "  - {name: far-2, url: 'https://mcp.example.com/mcp', secrets: {Authorization: Bearer "
		    "far.token},\n"
		    "     headers: {X-Team: blue}, enabled: false}\n"
		    "  - {name: near, url: 'http://127.0.0.1:1/', local: true, idle_seconds: 5, timeout_seconds: 9}\n"
		    "  - {name: s, command: [/bin/s], shared: true, starts: 2}\n",
		    &c));
	assert_int_equal(c->upstreams.n, 4);
	const struct kh_config_upstream *git = kh_settings_upstream(c, KH_LIT("git"));
	assert_int_equal(git->command.n, 3);
	assert_int_equal(git->enabled, KH_CONFIG_TRUE);
	assert_int_equal(git->shared, KH_CONFIG_FALSE);
	assert_int_equal(git->idle_seconds, KH_CONFIG_UPSTREAM_IDLE);
	assert_int_equal(git->timeout_seconds, KH_CONFIG_UPSTREAM_TIME);
	assert_int_equal(git->starts, KH_CONFIG_UPSTREAM_STARTS);
	assert_int_equal(git->bytes_out, KH_CONFIG_UPSTREAM_OUT);
	assert_int_equal(git->memory, 0);
	assert_int_equal(git->line, 2);
	assert_int_equal(git->env.n, 2);
	assert_view(git->env.at[1].name, "B");
	assert_view(git->env.at[1].text, "two");
	assert_int_equal(git->env.at[1].line, 5);
	const struct kh_config_upstream *far = kh_settings_upstream(c, KH_LIT("far-2"));
	assert_int_equal(far->enabled, KH_CONFIG_FALSE);
	assert_int_equal(far->starts, 0);
	assert_int_equal(far->bytes_out, 0);
	assert_view(far->headers.at[0].text, "blue");
	assert_int_equal(kh_settings_upstream(c, KH_LIT("near"))->idle_seconds, 5);
	assert_int_equal(kh_settings_upstream(c, KH_LIT("near"))->timeout_seconds, 9);
	assert_int_equal(kh_settings_upstream(c, KH_LIT("s"))->shared, KH_CONFIG_TRUE);
	assert_int_equal(kh_settings_upstream(c, KH_LIT("s"))->bytes_out, 0);
	assert_null(kh_settings_upstream(c, KH_LIT("Git")));
}

/* U1: names, targets of the network, and files of secrets. */
static void test_syntax(struct kh_test *t)
{
	static const char *const names[] = {"a", "a-1", "github", "abcdefghijklmnopqrstuvwxyz123456"};
	static const char *const no_names[] = {
		"", "A", "1a", "-a", "a_b", "a.b", "a b", "host", "abcdefghijklmnopqrstuvwxyz1234567"};
	static const char *const targets[] = {"api.example.com:443", "localhost:1", "a-b.c:65535"};
	static const char *const no_targets[] = {"api.example.com",
						 "Api.example.com:443",
						 "*.example.com:443",
						 "127.0.0.1:443",
						 "1.2.3.4:1",
						 "a.0x7f:1",
						 "[::1]:443",
						 "a:0",
						 "a:65536",
						 "a:",
						 ":443",
						 "a..b:1"};
	struct kh_view scheme, file;

	(void)t;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(kh_upstreams_is_name(kh_view_str(names[i])));
	for (size_t i = 0; i < sizeof(no_names) / sizeof(no_names[0]); i++)
		assert_false(kh_upstreams_is_name(kh_view_str(no_names[i])));
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		assert_true(kh_upstreams_is_target(kh_view_str(targets[i])));
	for (size_t i = 0; i < sizeof(no_targets) / sizeof(no_targets[0]); i++)
		assert_false(kh_upstreams_is_target(kh_view_str(no_targets[i])));
	assert_true(kh_upstreams_secret(KH_LIT("Bearer secrets/x"), &scheme, &file));
	assert_view(scheme, "Bearer");
	assert_view(file, "secrets/x");
	assert_true(kh_upstreams_secret(KH_LIT("/etc/a b"), &scheme, &file));
	assert_int_equal(scheme.n, 0);
	assert_view(file, "/etc/a b");
	assert_false(kh_upstreams_secret(KH_LIT("Bearer ../x"), &scheme, &file));
	assert_false(kh_upstreams_secret(KH_LIT(""), &scheme, &file));
}

static void refused(struct kh_test *t, const char *text, const char *detail)
{
	const struct kh_config *c = NULL;

	must_fail(t, KH_EINPUT, config(t, text, &c));
	assert_null(c);
	assert_string_equal(t->err.code, "policy_invalid");
	if (strncmp(t->err.detail, detail, strlen(detail)) != 0)
		print_error("got  %s\nwant %s\n", t->err.detail, detail);
	assert_int_equal(strncmp(t->err.detail, detail, strlen(detail)), 0);
	assert_non_null(strstr(t->err.detail, ": expected "));
}

#define UP  "upstreams:\n  - {name: a, "
#define CMD UP "command: [/bin/a], "
#define WEB UP "url: 'https://a.example/', "

/* I8: file, line and what was expected. */
static void test_refused(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"upstreams: {}\n", "k.yaml:1: upstreams: a map: expected a list of at most 64"},
		{"upstreams:\n  - {command: [/bin/a]}\n", "k.yaml:2: upstreams[0]: a map: expected the key name in it"},
		{"upstreams:\n  - {name: host, command: [/bin/a]}\n",
		 "k.yaml:2: upstreams[0].name: \"host\": expected a name: a small letter"},
		{"upstreams:\n  - {name: Git, command: [/bin/a]}\n", "k.yaml:2: upstreams[0].name: \"Git\": expected "},
		{"upstreams:\n  - {name: a}\n",
		 "k.yaml:2: upstreams[0]: expected the key command (a program) or url (over HTTP) in it"},
		{"upstreams:\n  - {name: a, comand: [/bin/a]}\n",
		 "k.yaml:2: upstreams[0]: unknown key \"comand\": expected command? The keys are name, command, url, "},
		{UP "command: [/bin/a], url: 'https://a.example/'}\n",
		 "k.yaml:2: upstreams[0]: command and url: expected one of them"},
		{"upstreams:\n  - {name: a, command: [/bin/a]}\n  - {name: a, command: [/bin/b]}\n",
		 "k.yaml:3: upstreams[1].name: a stands twice: expected each name once"},
		{UP "command: []}\n", "k.yaml:2: upstreams[0].command: a list: expected a list of 1 to 128"},
		{UP "command: [npx, -y, x]}\n",
		 "k.yaml:2: upstreams[0].command: its first argument: expected the absolute path of a program"},
		{UP "command: /bin/a}\n", "k.yaml:2: upstreams[0].command: \"/bin/a\": expected a list of 1 to 128"},
		{UP "url: 'ftp://a/'}\n", "k.yaml:2: upstreams[0].url: \"ftp://a/\": expected a URL such as"},
		{UP "url: 'http://a.example/'}\n",
		 "k.yaml:2: upstreams[0].url: plain http: expected https, or local: true"},
		{UP "url: 'https://a.example/#x'}\n", "k.yaml:2: upstreams[0].url: "},
		{CMD "headers: {A: b}}\n",
		 "k.yaml:2: upstreams[0]: headers beside command: expected it only beside url"},
		{CMD "local: true}\n", "k.yaml:2: upstreams[0]: local without network: "},
		{WEB "read: [/a]}\n", "k.yaml:2: upstreams[0]: read beside url: expected it only beside command"},
		{WEB "env: {A: b}}\n", "k.yaml:2: upstreams[0]: env beside url: "},
		{WEB "shared: true}\n", "k.yaml:2: upstreams[0]: shared beside url: "},
		{WEB "memory: 67108864}\n", "k.yaml:2: upstreams[0]: memory beside url: "},
		{CMD "read: [docs]}\n", "k.yaml:2: upstreams[0].read[0]: \"docs\": expected an absolute path"},
		{CMD "read: [/a], write: [/a]}\n", "k.yaml:2: upstreams[0]: /a in read and in write: expected "},
		{CMD "network: [example.com]}\n",
		 "k.yaml:2: upstreams[0].network[0]: \"example.com\": expected a host in small letters and its port"},
		{CMD "network: ['a.b:1', 'a.b:1']}\n", "k.yaml:2: upstreams[0].network: a.b:1 stands twice: expected "},
		{CMD "bytes_out: 1}\n",
		 "k.yaml:2: upstreams[0]: bytes_out without network: expected it only beside network"},
		{CMD "memory: 512M}\n",
		 "k.yaml:2: upstreams[0].memory: \"512M\": expected an integer from 16777216 to "},
		{CMD "starts: 0}\n", "k.yaml:2: upstreams[0].starts: \"0\": expected an integer from 1 to 1000"},
		{CMD "env: [A=b]}\n",
		 "k.yaml:2: upstreams[0].env: a list: expected a map of at most 64 names, each the name"},
		{CMD "env: {1A: b}}\n", "k.yaml:2: upstreams[0].env: the key \"1A\": expected the name of a variable"},
		{CMD "env: {A: b, A: c}}\n",
		 "k.yaml:2: upstreams[0].env: the key stands twice: \"A\": expected each key once"},
		{CMD "env: {A: [b]}}\n", "k.yaml:2: upstreams[0].env.A: a list: expected a text of at most 3900 bytes"},
		{CMD "env: {A: }}\n", "k.yaml:2: upstreams[0].env.A: an empty value: expected a text"},
		{CMD "secrets: {A: ../x}}\n",
		 "k.yaml:2: upstreams[0].secrets.A: \"../x\": expected a file, absolute or in"},
		{CMD "secrets: {A-B: x}}\n", "k.yaml:2: upstreams[0].secrets.A-B: expected the name of a variable"},
		{CMD "secrets: {A: Bearer x}}\n",
		 "k.yaml:2: upstreams[0].secrets.A: expected a file alone: only a header"},
		{CMD "env: {A: b}, secrets: {A: x}}\n", "k.yaml:2: upstreams[0]: A in env and in secrets: expected "},
		{WEB "headers: {'X Y': b}}\n",
		 "k.yaml:2: upstreams[0].headers: the key \"X Y\": expected the name of a header"},
		{WEB "headers: {X: \"a\\r\\nY: b\"}}\n", "k.yaml:2: a control character: "},
		{WEB "headers: {X-A: b}, secrets: {x-a: f}}\n",
		 "k.yaml:2: upstreams[0]: the header x-a stands twice: expected each header once"},
		{WEB "secrets: {a: f, b: f, c: f, d: f, e: f, f: f, g: f, h: f, i: f}}\n",
		 "k.yaml:2: upstreams[0].secrets: expected at most 8 of them beside url"},
		{CMD "enabled: yes}\n", "k.yaml:2: upstreams[0].enabled: \"yes\": expected false or true"},
		{"upstreams:\n  - {name: a, command: [/bin/a]}\npolicy:\n  tools:\n    - {name: b__x}\n",
		 "k.yaml:5: policy.tools[0].name: b__x: expected the name of an entry of upstreams before __"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		refused(t, all[i][0], all[i][1]);
}

/* A rule may be about a host's own tools, about servers by a glob, and about any server if there is no section. */
static void test_rules(struct kh_test *t)
{
	const struct kh_config *c;

	must(t, config(t,
		       "upstreams:\n  - {name: a, command: [/bin/a]}\n"
		       "policy:\n  tools:\n    - {name: a__x}\n    - {name: host__Bash}\n    - {name: '*__list'}\n",
		       &c));
	must(t, config(t, "policy:\n  tools:\n    - {name: b__x}\n", &c));
	assert_int_equal(c->upstreams.n, 0);
}

static const struct kh_test_case cases[] = {KH_TEST(test_both_kinds), KH_TEST_ONCE(test_syntax), KH_TEST(test_refused),
					    KH_TEST(test_rules)};
KH_TEST_MAIN(cases)
