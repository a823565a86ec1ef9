/* U1, U2: from an entry of `upstreams` to the request that starts it. */
#include "upstream/launch.h"

#include "core/policy/config.h"
#include "harness.h"

static const struct kh_config *config(struct kh_test *t, const char *text)
{
	const struct kh_config *c = NULL;

	must(t, kh_config_read(&t->arena, kh_view_str(text), KH_LIT("k.yaml"), &c, &t->err));
	return c;
}

static struct kh_launch launch(struct kh_test *t)
{
	return (struct kh_launch){.arena = &t->arena, .folder = KH_LIT("/home/u/kh"), .file = KH_LIT("k.yaml")};
}

/* U1: a program sees its own folder and what it was granted, and nothing else; secrets go by their files. */
static void test_run(struct kh_test *t)
{
	const struct kh_config *c = config(
		t, "upstreams:\n"
		   "  - name: files\n    command: [/usr/bin/node, /opt/files/index.js, /srv/docs]\n    program: "
		   "/opt/files\n"
		   "    read: [/srv/docs]\n    write: [/srv/out]\n    network: ['api.example.com:443']\n"
		   "    bytes_out: 1000\n    memory: 268435456\n    processes: 20\n    files: 512\n    local: true\n   "
		   " disk: 1048576\n"
		   "    processor: 500\n    output_bytes: 65536\n    message_bytes: 8192\n    messages: 10\n"
		   "    idle_seconds: 30\n    env: {LOG_LEVEL: debug, EMPTY: ''}\n"
		   "    secrets: {TOKEN: secrets/files.TOKEN, KEY: /etc/key}\n");
	struct kh_launch l = launch(t);
	struct kh_run run;

	must(t, kh_launch_run(&l, c->upstreams.at, &run, &t->err));
	assert_int_equal(run.profile, KH_PROFILE_SERVER);
	assert_int_equal(run.argc, 3);
	assert_view(run.argv[1], "/opt/files/index.js");
	assert_int_equal(run.reads, 2); /* every sandbox sees /usr, and what is a link there */
	assert_view(run.read[0], "/srv/docs");
	assert_view(run.read[1], "/opt/files");
	assert_int_equal(run.writes, 1);
	assert_view(run.write[0], "/srv/out");
	assert_int_equal(run.networks, 1);
	assert_view(run.network[0], "api.example.com:443");
	assert_int_equal(run.bytes_out, 1000);
	assert_int_equal(run.limits.memory, 268435456);
	assert_int_equal(run.limits.processes, 20);
	assert_int_equal(run.limits.files, 512);
	assert_int_equal(run.hosts, 1); /* U2: this pair may have a private address */
	assert_true(kh_view_eq(run.host[0], run.network[0]));
	assert_int_equal(run.limits.disk, 1048576);
	assert_int_equal(run.rates.processor, 500);
	assert_int_equal(run.rates.output, 65536);
	assert_int_equal(run.rates.longest, 8192);
	assert_int_equal(run.rates.messages, 10);
	assert_int_equal(run.rates.idle_ms, 30000);
	assert_int_equal(run.variables, 2);
	assert_view(run.environment[0], "LOG_LEVEL=debug");
	assert_view(run.environment[1], "EMPTY=");
	assert_int_equal(run.secrets, 2);
	assert_view(run.secret[0], "TOKEN=/home/u/kh/secrets/files.TOKEN");
	assert_view(run.secret[1], "KEY=/etc/key");
}

/* U1: what is not said is the sandbox's own, without a network. */
static void test_defaults(struct kh_test *t)
{
	const struct kh_config *c = config(t, "upstreams: [{name: a, command: [/opt/a/run], program: /opt/a}]\n");
	struct kh_launch l = launch(t);
	struct kh_run run;

	must(t, kh_launch_run(&l, c->upstreams.at, &run, &t->err));
	assert_int_equal(run.reads, 1); /* the program is below its folder */
	assert_view(run.read[0], "/opt/a");
	assert_int_equal(run.writes + run.networks + run.variables + run.secrets, 0);
	assert_int_equal(run.limits.memory, 0);
	assert_int_equal(run.rates.idle_ms, 600000);
}

static void test_http(struct kh_test *t)
{
	const struct kh_config *c = config(
		t, "upstreams:\n"
		   "  - {name: far, url: 'https://mcp.example.com/mcp', headers: {X-Team: blue},\n"
		   "     secrets: {Authorization: Bearer far.token, X-Key: /etc/far.key}, authority: /etc/ca.pem,\n"
		   "     message_bytes: 8192, messages: 5, idle_seconds: 7}\n"
		   "  - {name: near, url: 'http://127.0.0.1:8080/mcp', local: true}\n");
	const struct kh_config_upstream *all = c->upstreams.at;
	struct kh_launch l = launch(t);
	struct kh_upstream up;

	must(t, kh_launch_http(&l, &all[0], &up, &t->err));
	assert_view(up.url, "https://mcp.example.com/mcp");
	assert_int_equal(up.headers, 1);
	assert_view(up.header[0], "X-Team: blue");
	assert_int_equal(up.secrets, 2);
	assert_view(up.secret[0], "Authorization=Bearer /home/u/kh/far.token");
	assert_view(up.secret[1], "X-Key=/etc/far.key");
	assert_view(up.authority, "/etc/ca.pem");
	assert_int_equal(up.hosts, 0);
	assert_false(up.plain);
	assert_int_equal(up.message, 8192);
	assert_int_equal(up.a_second, 5);
	assert_int_equal(up.idle_ms, 7000);
	must(t, kh_launch_http(&l, &all[1], &up, &t->err));
	assert_true(up.plain);
	assert_int_equal(up.hosts, 1);
	assert_view(up.host[0], "127.0.0.1:8080");
}

/* U1: what the executor would refuse is an error of the configuration, with its line. */
static void test_refused(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"upstreams:\n  - {name: a, url: 'https://a.example/', headers: {Host: b}}\n",
		 "k.yaml:2: upstream a: header 1 is not for a request to set"},
		{"upstreams:\n  - {name: a, url: 'https://a.example/', secrets: {Connection: key}}\n",
		 "k.yaml:2: upstream a: secret 1 is not the name of a header"},
	};
	struct kh_launch l = launch(t);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct kh_config *c = config(t, all[i][0]);
		must_fail(t, KH_EINPUT, kh_launch_check(&l, c, &t->err));
		assert_string_equal(t->err.code, "policy_invalid");
		assert_int_equal(strncmp(t->err.detail, all[i][1], strlen(all[i][1])), 0);
	}
	must(t, kh_launch_check(&l, config(t, "upstreams: [{name: a, command: [/bin/a]}]\n"), &t->err));
	must(t, kh_launch_check(&l, config(t, ""), &t->err));
}

/* U1: a reload ends a server if anything that the configuration says of it is another, and only then. */
static void test_entry(struct kh_test *t)
{
	static const char *const entries[] = {
		"upstreams: [{name: a, command: [/usr/bin/node, x]}]",
		"upstreams: [{name: a, command: [/usr/bin/node, y]}]",
		"upstreams: [{name: a, command: [/usr/bin/node, x], idle_seconds: 7}]",
		"upstreams: [{name: a, command: [/usr/bin/node, x], timeout_seconds: 7}]",
		"upstreams: [{name: a, command: [/usr/bin/node, x], shared: true}]",
		"upstreams: [{name: a, command: [/usr/bin/node, x], starts: 7}]",
		"upstreams: [{name: a, command: [/usr/bin/node, x], env: {A: b}}]",
		"upstreams: [{name: a, command: [/usr/bin/node, x], secrets: {A: b}}]",
		"upstreams: [{name: a, command: [/usr/bin/node, x], read: [/srv]}]",
		"upstreams: [{name: a, command: [/usr/bin/node, x], read: [/srv], program: /srv/p}]",
		"upstreams: [{name: a, url: 'https://a.example/'}]",
		"upstreams: [{name: a, url: 'https://b.example/'}]",
	};
	struct kh_digest digests[sizeof(entries) / sizeof(entries[0])];
	struct kh_launch l = launch(t);

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		struct kh_digest again;
		must(t, kh_launch_entry(&l, config(t, entries[i])->upstreams.at, &digests[i], &t->err));
		must(t, kh_launch_entry(&l, config(t, entries[i])->upstreams.at, &again, &t->err));
		assert_memory_equal(&digests[i], &again, sizeof(again));
		for (size_t k = 0; k < i; k++)
			assert_memory_not_equal(&digests[i], &digests[k], sizeof(again));
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_entry), KH_TEST(test_run), KH_TEST(test_defaults),
					    KH_TEST(test_http), KH_TEST(test_refused)};
KH_TEST_MAIN(cases)
