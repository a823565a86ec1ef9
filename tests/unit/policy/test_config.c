#include "core/policy/config.h"
#include "core/policy/keys.h"
#include "harness.h"

#include <stdio.h>

static enum kh_err config(struct kh_test *t, const char *text, const struct kh_config **ret)
{
	return kh_config_read(&t->arena, kh_view_str(text), KH_LIT("keyhole.yaml"), ret, &t->err);
}

/* I8: an empty file is a usable configuration, and `extract` is there without being named (I3). */
static void test_defaults(struct kh_test *t)
{
	static const char *const texts[] = {"", "policy: {}\n", "readers: []\naudit: {}\n",
					    "audit: {witness_syslog: false}\n"};
	const struct kh_policy *policy;

	must(t, kh_config_policy(&t->arena, KH_LIT(""), KH_LIT(""), &policy, &t->err));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct kh_config *c;
		must(t, config(t, texts[i], &c));
		assert_int_equal(c->readers.n, 1);
		const struct kh_config_reader *extract = kh_settings_reader(c, KH_LIT("extract"));
		assert_non_null(extract);
		assert_int_equal(extract->driver, KH_CONFIG_DRIVER_EXTRACT);
		assert_int_equal(extract->line, 0);
		assert_int_equal(c->audit.witness_file.n, 0);
		assert_int_equal(c->audit.witness_syslog, KH_CONFIG_FALSE);
		assert_int_equal(c->audit.witness_command.n, 0);
		assert_int_equal(c->audit.checkpoint_events, 10000);
		assert_int_equal(c->audit.checkpoint_seconds, 60);
		assert_int_equal(c->audit.retention_days, 30);
		assert_int_equal(c->gateway.listen.n, 1);
		assert_view(c->gateway.listen.at[0], "127.0.0.1:7433");
		assert_view(c->gateway.socket, "mcp.sock");
		assert_int_equal(c->gateway.tls_key.n, 0);
		assert_int_equal(c->gateway.plain, KH_CONFIG_FALSE);
		assert_int_equal(c->gateway.connections, 10000);
		assert_int_equal(c->gateway.wait_seconds, 50);
		assert_int_equal(c->gateway.stop_seconds, 10);
		assert_int_equal(c->gateway.pool, 1);
		assert_int_equal(c->databases.n, 0);
		assert_int_equal(c->search.folders.n, 0);
		assert_int_equal(c->search.refresh_seconds, 30);
		assert_int_equal(c->search.local, KH_CONFIG_FALSE);
		assert_int_equal(c->network.private_hosts.n, 0);
		assert_int_equal(c->verification.triage.n, 0);
		assert_int_equal(c->gateway.line, 0);
		assert_memory_equal(&c->policy.digest, &policy->digest, sizeof(policy->digest));
	}
}

static void test_readers(struct kh_test *t)
{
	const struct kh_config *c;

	must(t, config(t,
		       "readers:\n"
		       "  - {name: mail, driver: command, argv: [/usr/bin/python3, /opt/r/mail.py, \"\"], read: "
		       "[/opt/r]}\n"
		       "  - {name: quick.1, driver: extract}\n"
		       "  - {name: slow, driver: command, argv: [/opt/slow], timeout_seconds: 600}\n",
		       &c));
	assert_int_equal(c->readers.n, 4);
	const struct kh_config_reader *mail = kh_settings_reader(c, KH_LIT("mail"));
	assert_non_null(mail);
	assert_int_equal(mail->driver, KH_CONFIG_DRIVER_COMMAND);
	assert_int_equal(mail->argv.n, 3);
	assert_view(mail->argv.at[0], "/usr/bin/python3");
	assert_view(mail->argv.at[2], "");
	assert_int_equal(mail->read.n, 1);
	assert_int_equal(mail->timeout_seconds, 30);
	assert_int_equal(mail->line, 2);
	assert_int_equal(kh_settings_reader(c, KH_LIT("quick.1"))->driver, KH_CONFIG_DRIVER_EXTRACT);
	assert_int_equal(kh_settings_reader(c, KH_LIT("slow"))->timeout_seconds, 600);
	assert_non_null(kh_settings_reader(c, KH_LIT("extract")));
	assert_null(kh_settings_reader(c, KH_LIT("Mail")));
	assert_null(kh_settings_reader(c, KH_LIT("")));
	/* Named as what it is, it is there once. */
	must(t, config(t, "readers:\n  - {name: extract, driver: extract}\n", &c));
	assert_int_equal(c->readers.n, 1);
	assert_int_equal(kh_settings_reader(c, KH_LIT("extract"))->line, 2);
}

/* I3, I8: models behind an API, with what is not said filled in. */
static void test_models(struct kh_test *t)
{
	const struct kh_config *c;

	must(t, config(t,
		       "readers:\n"
		       "  - {name: big, driver: openai, url: \"https://api.example.com/v1/chat/completions\", model: "
		       "big-1, "
		       "key_file: big.key}\n"
		       "  - {name: near, driver: openai, url: \"http://127.0.0.1:8080/v1/chat/completions\", "
		       "model: \"a/b:7b-q4_0\", local: true, schema: false, max_tokens: 100, retries: 0, "
		       "timeout_seconds: 600, concurrency: 1}\n"
		       "  - {name: other, driver: anthropic, url: \"https://api.example.com/v1/messages\", model: o-2, "
		       "key_environment: OTHER_KEY, authority: /etc/ca.pem, concurrency: 8}\n",
		       &c));
	const struct kh_config_reader *big = kh_settings_reader(c, KH_LIT("big"));
	assert_int_equal(big->driver, KH_CONFIG_DRIVER_OPENAI);
	assert_view(big->url, "https://api.example.com/v1/chat/completions");
	assert_view(big->key_file, "big.key");
	assert_int_equal(big->local, KH_CONFIG_FALSE);
	assert_int_equal(big->schema, KH_CONFIG_TRUE);
	assert_int_equal(big->max_tokens, 0);
	assert_int_equal(big->retries, 2);
	assert_int_equal(big->timeout_seconds, 30);
	assert_int_equal(big->concurrency, 0);
	const struct kh_config_reader *near = kh_settings_reader(c, KH_LIT("near"));
	assert_view(near->model, "a/b:7b-q4_0");
	assert_int_equal(near->local, KH_CONFIG_TRUE);
	assert_int_equal(near->schema, KH_CONFIG_FALSE);
	assert_int_equal(near->max_tokens, 100);
	assert_int_equal(near->retries, 0);
	assert_int_equal(near->timeout_seconds, 600);
	assert_int_equal(near->concurrency, 1);
	const struct kh_config_reader *other = kh_settings_reader(c, KH_LIT("other"));
	assert_int_equal(other->driver, KH_CONFIG_DRIVER_ANTHROPIC);
	assert_view(other->key_environment, "OTHER_KEY");
	assert_view(other->authority, "/etc/ca.pem");
	assert_int_equal(other->concurrency, 8);
}

static void test_audit(struct kh_test *t)
{
	const struct kh_config *c;

	must(t, config(t,
		       "audit:\n  witness_file: /var/witness\n  witness_syslog: true\n"
		       "  witness_command: [/usr/bin/logger, -t, \"x y\"]\n  checkpoint_events: 1\n"
		       "  checkpoint_seconds: 86400\n  retention_days: 0\n",
		       &c));
	assert_view(c->audit.witness_file, "/var/witness");
	assert_int_equal(c->audit.witness_syslog, KH_CONFIG_TRUE);
	assert_int_equal(c->audit.witness_command.n, 3);
	assert_view(c->audit.witness_command.at[2], "x y");
	assert_int_equal(c->audit.checkpoint_events, 1);
	assert_int_equal(c->audit.checkpoint_seconds, 86400);
	assert_int_equal(c->audit.retention_days, 0);
}

/* I4, I8: loopback needs nothing; every other address needs TLS or a word that it does without, and names. */
static void test_gateway(struct kh_test *t)
{
	static const char *const good[] = {
		"gateway: {listen: [\"127.0.0.1:0\", \"[::1]:65535\", \"127.9.9.9:1\"]}\n",
		"gateway: {listen: [\"0.0.0.0:1\"], plain: true, hosts: [a.example]}\n",
		"gateway: {listen: [\"[2001:db8::1]:1\"], tls_certificate: c, tls_key: /etc/k, hosts: [\"a:7\"]}\n",
		"gateway: {tls_certificate: c.pem, tls_key: k/e/y.pem}\n",
		"gateway: {socket: /run/keyhole/mcp.sock, stop_seconds: 0, wait_seconds: 1}\n",
		"gateway: {hosts: [a, \"192.0.2.1:80\", \"[::1]\", \"[::1]:9\"], url: \"https://a.example/x?y\"}\n",
		"gateway: {origins: [\"http://localhost:3000\", \"https://a.example\"]}\n",
	};
	const struct kh_config *c;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		must(t, config(t, good[i], &c));
	must(t, config(t, "gateway: {listen: []}\n", &c));
	assert_int_equal(c->gateway.listen.n, 0);
	must(t, config(t, "\ngateway:\n  listen: [\"[::1]:7\"]\n  socket: s\n  wait_seconds: 3\n", &c));
	assert_int_equal(c->gateway.listen.n, 1);
	assert_view(c->gateway.listen.at[0], "[::1]:7");
	assert_view(c->gateway.socket, "s");
	assert_int_equal(c->gateway.wait_seconds, 3);
	assert_int_equal(c->gateway.connections, 10000);
	assert_int_equal(c->gateway.line, 2);
}

/* I8: file, line and what was expected; DETAIL is how the message begins. */
static void refused(struct kh_test *t, const char *text, const char *detail)
{
	const struct kh_config *c = NULL;
	const struct kh_policy *p = NULL;

	must_fail(t, KH_EINPUT, config(t, text, &c));
	assert_null(c);
	assert_string_equal(t->err.code, "policy_invalid");
	if (strncmp(t->err.detail, detail, strlen(detail)) != 0)
		print_error("got  %s\nwant %s\n", t->err.detail, detail);
	assert_int_equal(strncmp(t->err.detail, detail, strlen(detail)), 0);
	assert_non_null(strstr(t->err.detail, ": expected "));
	/* Whoever wants only the policy is told too. */
	must_fail(t, KH_EINPUT, kh_config_policy(&t->arena, kh_view_str(text), KH_LIT("keyhole.yaml"), &p, &t->err));
	assert_null(p);
}

static void test_refused(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"witness: 1\n", "keyhole.yaml:1: unknown key \"witness\": expected policy, readers, audit, gateway, "},
		{"audit:\n  wittness_file: /a\n", "keyhole.yaml:2: audit: unknown key \"wittness_file\": expected "
						  "witness_file? The keys are witness_file, "},
		{"audit: 7\n", "keyhole.yaml:1: audit: \"7\": expected a map of witness_file, "},
		{"audit:\n  witness_file: checkpoints\n",
		 "keyhole.yaml:2: audit.witness_file: \"checkpoints\": expected an absolute path"},
		{"audit:\n  witness_file: /a/../b\n", "keyhole.yaml:2: audit.witness_file: "},
		{"audit:\n  witness_syslog: yes\n",
		 "keyhole.yaml:2: audit.witness_syslog: \"yes\": expected false or true"},
		{"audit:\n  witness_command: /bin/x\n",
		 "keyhole.yaml:2: audit.witness_command: \"/bin/x\": expected a list of at most 64"},
		{"\naudit:\n  witness_command: []\n",
		 "keyhole.yaml:2: audit.witness_command: its first argument: expected the absolute path of a program"},
		{"audit:\n  witness_command: [logger]\n",
		 "keyhole.yaml:1: audit.witness_command: its first argument: expected the absolute path of a program"},
		{"audit:\n  checkpoint_events: 0\n", "keyhole.yaml:2: audit.checkpoint_events: \"0\": expected "},
		{"audit:\n  checkpoint_seconds: 1.5\n", "keyhole.yaml:2: audit.checkpoint_seconds: \"1.5\": expected "},
		{"audit:\n  retention_days: -1\n", "keyhole.yaml:2: audit.retention_days: \"-1\": expected "},
		{"audit:\n  retention_days: 1\n  retention_days: 2\n",
		 "keyhole.yaml:3: audit: the key stands twice: \"retention_days\": expected each key once"},
		{"readers: []\nreaders: []\n",
		 "keyhole.yaml:2: the key stands twice: \"readers\": expected each key once"},
		{"gateway:\n  listen: 127.0.0.1:7433\n",
		 "keyhole.yaml:2: gateway.listen: \"127.0.0.1:7433\": expected a list of at most 16"},
		{"gateway:\n  listen: [localhost:7433]\n",
		 "keyhole.yaml:2: gateway.listen[0]: \"localhost:7433\": expected an address and a port such as "},
		{"gateway:\n  listen: [\"0.0.0.0:7433\"]\n", "keyhole.yaml:1: gateway.listen[0]: 0.0.0.0:7433: "
							     "expected a loopback address, or tls_certificate and "},
		{"gateway:\n  listen: [\"[::1]:1\", \"[::]:7433\"]\n",
		 "keyhole.yaml:1: gateway.listen[1]: [::]:7433: expected a loopback address, or tls_certificate and "},
		{"gateway:\n  listen: [\"[::ffff:192.0.2.1]:7433\"]\n",
		 "keyhole.yaml:1: gateway.listen[0]: [::ffff:192.0.2.1]:7433: expected a loopback address, or "},
		{"gateway:\n  listen: [\"0.0.0.0:1\"]\n  plain: true\n",
		 "keyhole.yaml:1: gateway.listen[0]: 0.0.0.0:1: expected the names that it is called by there, as "
		 "hosts"},
		{"gateway:\n  tls_key: k.pem\n",
		 "keyhole.yaml:1: gateway.tls_key without tls_certificate: expected both of them or neither"},
		{"gateway:\n  tls_certificate: k.pem\n",
		 "keyhole.yaml:1: gateway.tls_certificate without tls_key: expected both of them or neither"},
		{"gateway: {tls_certificate: c, tls_key: k, plain: true}\n",
		 "keyhole.yaml:1: gateway.plain: true beside TLS: expected one of the two"},
		{"gateway:\n  socket: ../mcp.sock\n",
		 "keyhole.yaml:2: gateway.socket: \"../mcp.sock\": expected a path"},
		{"gateway:\n  hosts: [\"https://a\"]\n",
		 "keyhole.yaml:2: gateway.hosts[0]: \"https://a\": expected a host such as "},
		{"gateway:\n  hosts: [\"*.example.com\"]\n",
		 "keyhole.yaml:2: gateway.hosts[0]: \"*.example.com\": expected a host such as "},
		{"gateway:\n  origins: [\"*\"]\n",
		 "keyhole.yaml:2: gateway.origins[0]: \"*\": expected an origin such as "},
		{"gateway:\n  origins: [\"https://a/\"]\n",
		 "keyhole.yaml:2: gateway.origins[0]: \"https://a/\": expected an origin such as "},
		{"gateway:\n  url: gateway.example.com\n",
		 "keyhole.yaml:2: gateway.url: \"gateway.example.com\": expected a URL such as "},
		{"gateway:\n  connections: 0\n", "keyhole.yaml:2: gateway.connections: \"0\": expected "},
		{"gateway:\n  wait_seconds: 601\n", "keyhole.yaml:2: gateway.wait_seconds: \"601\": expected "},
		{"gateway:\n  pool: 9\n", "keyhole.yaml:2: gateway.pool: \"9\": expected an integer from 0 to 8"},
		{"gateway:\n  port: 1\n", "keyhole.yaml:2: gateway: unknown key \"port\": expected listen, socket, "},
		{"policy:\n  lint: sometimes\naudit: {}\n",
		 "keyhole.yaml:2: policy.lint: \"sometimes\": expected advice or refuse"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		refused(t, all[i][0], all[i][1]);
}

/* The same of Readers, those that are built in or programs. */
static void test_refused_readers(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"readers: {name: a}\n", "keyhole.yaml:1: readers: a map: expected a list of at most 256"},
		{"readers:\n  - {driver: extract}\n", "keyhole.yaml:2: readers[0]: a map: expected the key name in it"},
		{"readers:\n  - {name: a}\n", "keyhole.yaml:2: readers[0]: a map: expected the key driver in it"},
		{"readers:\n  - {name: \"a b\", driver: extract}\n",
		 "keyhole.yaml:2: readers[0].name: \"a b\": expected a name: "},
		{"readers:\n  - {name: 1a, driver: extract}\n",
		 "keyhole.yaml:2: readers[0].name: \"1a\": expected a name: "},
		{"readers:\n  - {name: a, driver: extract, token: x}\n",
		 "keyhole.yaml:2: readers[0]: unknown key \"token\": "},
		{"readers:\n  - {name: a, driver: command}\n",
		 "keyhole.yaml:2: readers[0].argv: its first argument: expected the absolute path of a program"},
		{"readers:\n  - {name: a, driver: command, argv: [python3]}\n",
		 "keyhole.yaml:2: readers[0].argv: its first argument: expected the absolute path of a program"},
		{"readers:\n  - {name: a, driver: command, argv: /bin/x}\n",
		 "keyhole.yaml:2: readers[0].argv: \"/bin/x\": expected a list of at most 64"},
		{"readers:\n  - {name: a, driver: command, argv: [/bin/x], read: [x]}\n",
		 "keyhole.yaml:2: readers[0].read[0]: \"x\": expected an absolute path"},
		{"readers:\n  - {name: a, driver: command, argv: [/bin/x], timeout_seconds: 601}\n",
		 "keyhole.yaml:2: readers[0].timeout_seconds: \"601\": expected "},
		{"readers:\n  - {name: a, driver: command, argv: [/bin/x], timeout_seconds: 0}\n",
		 "keyhole.yaml:2: readers[0].timeout_seconds: \"0\": expected "},
		{"readers:\n  - {name: a, driver: extract, argv: [/bin/x]}\n",
		 "keyhole.yaml:2: readers[0]: argv for driver extract: expected it only for driver command"},
		{"readers:\n  - {name: a, driver: extract, read: []}\n",
		 "keyhole.yaml:2: readers[0]: read for driver extract: expected it only for driver command"},
		{"readers:\n  - {name: a, driver: extract, timeout_seconds: 3}\n",
		 "keyhole.yaml:2: readers[0]: timeout_seconds for driver extract: expected it only for drivers "
		 "command, "
		 "openai and anthropic"},
		{"readers:\n  - {name: a, driver: extract}\n  - {name: b, driver: extract}\n  - {name: a, driver: "
		 "extract}\n",
		 "keyhole.yaml:4: readers[2].name: a stands twice: expected each name once"},
		{"readers:\n  - {name: extract, driver: extract}\n  - {name: extract, driver: extract}\n",
		 "keyhole.yaml:3: readers[1].name: extract stands twice: expected each name once"},
		{"readers:\n  - {name: extract, driver: command, argv: [/bin/x]}\n",
		 "keyhole.yaml:2: readers[0].name: extract: expected another name: "},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		refused(t, all[i][0], all[i][1]);
}

/* The same of models: what they need, and what is not for them. */
static void test_refused_models(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"readers:\n  - {name: a, driver: gemini}\n",
		 "keyhole.yaml:2: readers[0].driver: \"gemini\": expected extract, command, openai or anthropic"},
		{"readers:\n  - {name: a, driver: openai}\n", "keyhole.yaml:2: readers[0]: expected the key url in it"},
		{"readers:\n  - {name: a, driver: openai, url: \"https://a.example/v1\"}\n",
		 "keyhole.yaml:2: readers[0]: expected the key model in it"},
		{"readers:\n  - {name: a, driver: openai, url: a.example, model: m}\n",
		 "keyhole.yaml:2: readers[0].url: \"a.example\": expected a URL such as "},
		{"readers:\n  - {name: a, driver: openai, url: \"https://u:p@a.example/\", model: m}\n",
		 "keyhole.yaml:2: readers[0].url: \"https://u:p@a.example/\": expected a URL such as "},
		{"readers:\n  - {name: a, driver: openai, url: \"http://127.0.0.1:1/\", model: m}\n",
		 "keyhole.yaml:2: readers[0].url: plain http: expected https, or local: true "},
		{"readers:\n  - {name: a, driver: anthropic, local: false, url: \"http://a.example/\", model: m}\n",
		 "keyhole.yaml:2: readers[0].url: plain http: expected https, or local: true "},
		{"readers:\n  - {name: a, driver: openai, url: \"https://a.example/\", model: a b}\n",
		 "keyhole.yaml:2: readers[0].model: \"a b\": expected a model's name"},
		{"readers:\n  - {name: a, driver: openai, url: \"https://a.example/\", model: m, key_file: a.key,\n"
		 "     key_environment: KEY}\n",
		 "keyhole.yaml:2: readers[0]: key_file and key_environment: expected one of them"},
		{"readers:\n  - {name: a, driver: openai, url: \"https://a.example/\", model: m, key_file: ../a}\n",
		 "keyhole.yaml:2: readers[0].key_file: \"../a\": expected an absolute path, or "},
		{"readers:\n  - {name: a, driver: openai, url: \"https://a.example/\", model: m, key_file: /a/../b}\n",
		 "keyhole.yaml:2: readers[0].key_file: \"/a/../b\": expected an absolute path, or "},
		{"readers:\n  - {name: a, driver: openai, url: \"https://a.example/\", model: m,\n"
		 "     key_environment: sk-123}\n",
		 "keyhole.yaml:3: readers[0].key_environment: \"sk-123\": expected the name of a variable"},
		{"readers:\n  - {name: a, driver: openai, url: \"https://a.example/\", model: m, key: sk-123}\n",
		 "keyhole.yaml:2: readers[0]: unknown key \"key\": "},
		{"readers:\n  - {name: a, driver: openai, url: \"https://a.example/\", model: m, authority: ca.pem}\n",
		 "keyhole.yaml:2: readers[0].authority: \"ca.pem\": expected an absolute path"},
		{"readers:\n  - {name: a, driver: openai, url: \"https://a.example/\", model: m, max_tokens: 0}\n",
		 "keyhole.yaml:2: readers[0].max_tokens: \"0\": expected "},
		{"readers:\n  - {name: a, driver: openai, url: \"https://a.example/\", model: m, retries: 11}\n",
		 "keyhole.yaml:2: readers[0].retries: \"11\": expected "},
		{"readers:\n  - {name: a, driver: openai, url: \"https://a.example/\", model: m, local: maybe}\n",
		 "keyhole.yaml:2: readers[0].local: \"maybe\": expected false or true"},
		{"readers:\n  - {name: a, driver: openai, url: \"https://a.example/\", model: m, argv: [/bin/x]}\n",
		 "keyhole.yaml:2: readers[0]: argv for driver openai: expected it only for driver command"},
		{"readers:\n  - {name: a, driver: anthropic, url: \"https://a.example/\", model: m, schema: true}\n",
		 "keyhole.yaml:2: readers[0]: schema for driver anthropic: expected it only for driver openai"},
		{"readers:\n  - {name: a, driver: command, argv: [/bin/x], url: \"https://a.example/\"}\n",
		 "keyhole.yaml:2: readers[0]: url for driver command: expected it only for drivers openai and "
		 "anthropic"},
		{"readers:\n  - {name: a, driver: command, argv: [/bin/x], retries: 0}\n",
		 "keyhole.yaml:2: readers[0]: retries for driver command: expected it only for drivers openai and "
		 "anthropic"},
		{"readers:\n  - {name: a, driver: extract, local: false}\n",
		 "keyhole.yaml:2: readers[0]: local for driver extract: expected it only for drivers openai and "
		 "anthropic"},
		{"readers:\n  - {name: a, driver: extract, concurrency: 1}\n",
		 "keyhole.yaml:2: readers[0]: concurrency for driver extract: expected it only for drivers command, "
		 "openai and anthropic"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		refused(t, all[i][0], all[i][1]);
}

/* What no executor could be asked for is found here, and not when it is asked. */
static void test_too_long(struct kh_test *t)
{
	static const struct {
		size_t arguments, bytes;
		bool good;
	} all[] = {{1, 4096, true}, {1, 4097, false}, {7, 4096, true}, {8, 4096, false}, {63, 1, true}, {64, 1, false}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view text = KH_LIT("readers:\n  - {name: a, driver: command, argv: [/bin/x");
		const struct kh_config *c = NULL;
		char *argument = kh_arena_alloc(&t->arena, all[i].bytes + 1);
		must(t, kh_arena_check(&t->arena));
		memset(argument, 'x', all[i].bytes);
		for (size_t j = 0; j < all[i].arguments; j++)
			text = kh_arena_printf(&t->arena, "%.*s, %s", KH_FMT(text), argument);
		text = kh_arena_printf(&t->arena, "%.*s]}\n", KH_FMT(text));
		must(t, kh_arena_check(&t->arena));
		if (all[i].good)
			must(t, config(t, text.p, &c));
		else
			must_fail(t, KH_EINPUT, config(t, text.p, &c));
	}
}

/* A2: what Readers there are is no part of the policy's version, to which grants are bound. */
static void test_version(struct kh_test *t)
{
	const struct kh_config *a, *b;

	must(t, config(t, "policy: {lint: refuse}\n", &a));
	must(t,
	     config(t, "readers:\n  - {name: x, driver: extract}\naudit: {retention_days: 1}\npolicy: {lint: refuse}\n",
		    &b));
	assert_memory_equal(&a->policy.digest, &b->policy.digest, sizeof(a->policy.digest));
	must(t, config(t, "policy: {lint: advice}\n", &b));
	assert_memory_not_equal(&a->policy.digest, &b->policy.digest, sizeof(a->policy.digest));
}

/* A file of the project, whole; the tests run beside it. */
static struct kh_view slurp(struct kh_test *t, const char *name)
{
	struct kh_view path = kh_arena_printf(&t->arena, "%s/%s", KH_SOURCE, name);
	char *text = kh_arena_alloc(&t->arena, 256U << 10);

	must(t, kh_arena_check(&t->arena));
	FILE *f = fopen(path.p, "re");
	assert_non_null(f);
	size_t n = fread(text, 1, 256U << 10, f);
	fclose(f);
	return kh_view_of(text, n);
}

static bool has(struct kh_view text, struct kh_view part)
{
	return kh_view_find(text, part, 0) != SIZE_MAX;
}

/* Every key of SHAPE has a row in the text, an item in the manual, and a line in the example. */
static void assert_keys(struct kh_test *t, const struct kh_shape *shape, struct kh_view text, struct kh_view manual,
			struct kh_view example)
{
	for (size_t i = 0; i < shape->count; i++) {
		const char *key = shape->fields[i].key;
		struct kh_view row = kh_arena_printf(&t->arena, "\n| `%s` |", key);
		struct kh_view item = kh_arena_printf(&t->arena, "\n.It Va %s\n", key);
		struct kh_view line = kh_arena_printf(&t->arena, " %s:", key);
		must(t, kh_arena_check(&t->arena));
		if (!has(text, row) || !has(manual, item) || !has(example, line))
			print_error("%s is not documented\n", key);
		assert_true(has(text, row) && has(manual, item) && has(example, line));
		if (shape->fields[i].shape != NULL)
			assert_keys(t, shape->fields[i].shape, text, manual, example);
	}
}

/* What stands in TEXT from the line TITLE to the next line that begins with MARK. */
static struct kh_view part(struct kh_test *t, struct kh_view text, struct kh_view title, const char *mark)
{
	struct kh_view next = kh_arena_printf(&t->arena, "\n%s", mark);
	size_t from, to;

	must(t, kh_arena_check(&t->arena));
	from = kh_view_find(text, title, 0);
	assert_true(from != SIZE_MAX);
	from += title.n - 1;
	to = kh_view_find(text, next, from);
	return kh_view_sub(text, from, to != SIZE_MAX ? to : text.n);
}

/* I8: docs/use/CONFIGURATION.md and the manual name every key that is not the policy's, each in the part of its
 * section, and the example uses every one. */
static void test_documentation(struct kh_test *t)
{
	struct kh_view text = slurp(t, "docs/use/CONFIGURATION.md"), example = slurp(t, "docs/examples/keyhole.yaml");
	struct kh_view manual = slurp(t, "man/keyhole.yaml.5");
	const struct kh_config *c;

	for (size_t i = 0; i < kh_keys_config.count; i++) {
		const struct kh_schema_field *section = &kh_keys_config.fields[i];
		struct kh_view title = kh_arena_printf(&t->arena, "\n## `%s`\n", section->key);
		struct kh_view heading = kh_arena_printf(&t->arena, "\n.Ss %s\n", section->key);
		struct kh_view line = kh_arena_printf(&t->arena, "\n%s:", section->key);
		must(t, kh_arena_check(&t->arena));
		if (section->shape == &kh_keys_policy)
			continue;
		assert_true(has(example, line));
		assert_keys(t, section->shape, part(t, text, title, "## "), part(t, manual, heading, ".S"), example);
	}
	must(t, kh_config_read(&t->arena, example, KH_LIT("keyhole.yaml"), &c, &t->err));
	assert_int_equal(c->readers.n, 5);
	assert_int_equal(c->audit.witness_command.n, 3);
	assert_int_equal(c->gateway.listen.n, 2);
	assert_int_equal(c->databases.n, 2);
	assert_int_equal(c->search.tables.n, 1);
}

/* E1: this machine is loopback or localhost; anything else is a network, unless the operator calls it internal. */
static void test_outside(struct kh_test *t)
{
	static const struct {
		const char *url, *more;
		bool outside;
	} all[] = {
		{"http://127.0.0.1:8080/v1", "", false},
		{"http://127.9.0.1/v1", "", false},
		{"http://[::1]:8080/v1", "", false},
		{"http://LocalHost:8080/v1", "", false},
		{"http://192.168.0.9/v1", "", true},
		{"http://10.0.0.1/v1", "", true},
		{"http://[::ffff:127.0.0.1]/v1", "", false},
		{"http://[::ffff:192.0.2.1]/v1", "", true},
		{"https://localhost.example.com/v1", "", true},
		{"https://127.0.0.1.example.com/v1", "", true},
		{"https://api.example.com/v1", "", true},
		{"https://api.example.com/v1", "    internal: false\n", true},
		{"https://api.example.com/v1", "    internal: true\n", false},
	};
	const struct kh_config *c;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view text = kh_arena_printf(&t->arena,
						      "readers:\n  - name: far\n    driver: openai\n    model: m\n"
						      "    local: true\n    url: \"%s\"\n%s",
						      all[i].url, all[i].more);
		must(t, kh_arena_check(&t->arena));
		must(t, kh_config_read(&t->arena, text, KH_LIT("keyhole.yaml"), &c, &t->err));
		const struct kh_config_reader *reader = kh_settings_reader(c, KH_LIT("far"));
		bool outside = kh_config_is_outside(&t->arena, reader);
		must(t, kh_arena_check(&t->arena));
		assert_int_equal(outside, all[i].outside);
		assert_false(kh_config_is_outside(&t->arena, kh_settings_reader(c, KH_LIT("extract"))));
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_defaults), KH_TEST(test_readers),         KH_TEST(test_models),         KH_TEST(test_audit),
	KH_TEST(test_refused),  KH_TEST(test_refused_readers), KH_TEST(test_refused_models), KH_TEST(test_too_long),
	KH_TEST(test_version),  KH_TEST(test_gateway),         KH_TEST(test_documentation),  KH_TEST(test_outside)};
KH_TEST_MAIN(cases)
