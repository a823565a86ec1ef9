/* E7, E8: a request is complete in itself, comes out as it went in, and cannot ask for what is not to be had. */
#include "harness.h"

#include "wire/request.h"

static char buffer[KH_MESSAGE_MAX];

/* PACKET as the executor gets it. */
static struct kh_message receive(struct kh_test *t, struct kh_view packet)
{
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	struct kh_message message;

	must(t, kh_message_read(packet, 0, &state, &message, &t->err));
	return message;
}

static enum kh_err pass_run(struct kh_test *t, const struct kh_run *run, struct kh_run *ret_run)
{
	struct kh_view packet;

	must(t, kh_request_write_run(run, buffer, &packet, &t->err));
	struct kh_message message = receive(t, packet);
	return kh_request_read_run(&message, ret_run, &t->err);
}

static enum kh_err pass_fetch(struct kh_test *t, const struct kh_fetch *fetch, struct kh_fetch *ret_fetch)
{
	struct kh_view packet;

	must(t, kh_request_write_fetch(fetch, buffer, &packet, &t->err));
	struct kh_message message = receive(t, packet);
	return kh_request_read_fetch(&message, ret_fetch, &t->err);
}

static struct kh_run a_run(void)
{
	return (struct kh_run){.profile = KH_PROFILE_RUN, .argv = {KH_LIT_INIT("/bin/true")}, .argc = 1};
}

static struct kh_fetch a_fetch(void)
{
	return (struct kh_fetch){.url = KH_LIT_INIT("https://example.org/"), .redirects = 5};
}

/* The run is refused, with a sentence that has these words. */
static void refuse_run(struct kh_test *t, const struct kh_run *run, const char *words)
{
	struct kh_run got = {.argc = 99};

	must_fail(t, KH_EINPUT, pass_run(t, run, &got));
	assert_string_equal(t->err.code, "bad_request");
	if (strstr(t->err.detail, words) == NULL)
		print_error("\"%s\" lacks \"%s\"\n", t->err.detail, words);
	assert_non_null(strstr(t->err.detail, words));
	assert_int_equal(got.argc, 99);
}

static void refuse_fetch(struct kh_test *t, const struct kh_fetch *fetch, const char *words)
{
	struct kh_fetch got = {.headers = 99};

	must_fail(t, KH_EINPUT, pass_fetch(t, fetch, &got));
	assert_string_equal(t->err.code, "bad_request");
	if (strstr(t->err.detail, words) == NULL)
		print_error("\"%s\" lacks \"%s\"\n", t->err.detail, words);
	assert_non_null(strstr(t->err.detail, words));
	assert_int_equal(got.headers, 99);
}

static void test_run(struct kh_test *t)
{
	struct kh_run got,
		run = {
			.profile = KH_PROFILE_RUN,
			.argv = {KH_LIT_INIT("/bin/echo"), KH_LIT_INIT(""), KH_LIT_INIT("-n"), KH_LIT_INIT("a b\n")},
			.argc = 4,
			.work = KH_LIT_INIT("/srv/t1"),
			.cache = KH_LIT_INIT("/srv/cache"),
			.read = {KH_LIT_INIT("/a"), KH_LIT_INIT("/b/..c/d..")},
			.reads = 2,
			.write = {KH_LIT_INIT("/w")},
			.writes = 1,
			.limits = {1, 2, 3, 4, 5, 6, 7},
		};

	must(t, pass_run(t, &run, &got));
	assert_int_equal(got.profile, KH_PROFILE_RUN);
	assert_int_equal(got.argc, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(kh_view_eq(got.argv[i], run.argv[i]));
	assert_view(got.work, "/srv/t1");
	assert_view(got.cache, "/srv/cache");
	assert_int_equal(got.reads, 2);
	assert_view(got.read[0], "/a");
	assert_view(got.read[1], "/b/..c/d..");
	assert_int_equal(got.writes, 1);
	assert_view(got.write[0], "/w");
	assert_memory_equal(&got.limits, &run.limits, sizeof(run.limits));
}

/* What is not said is the profile's own; profile upstream is refused (test_unknown). */
static void test_run_defaults(struct kh_test *t)
{
	struct kh_run got;

	for (enum kh_profile profile = 0; profile < KH_PROFILES; profile++) {
		if (profile == KH_PROFILE_UPSTREAM)
			continue;
		struct kh_run run = a_run();
		run.profile = profile;
		if (kh_profile_takes_job(profile))
			run.argc = 0;
		must(t, pass_run(t, &run, &got));
		assert_int_equal(got.profile, profile);
		assert_memory_equal(&got.limits, kh_profile_limits(profile), sizeof(got.limits));
		assert_int_equal(got.work.n + got.cache.n + got.reads + got.writes, 0);
	}
}

static uint64_t *limit_at(struct kh_limits *limits, size_t index)
{
	uint64_t *const at[] = {&limits->wall_ms, &limits->cpu_s, &limits->memory, &limits->processes,
				&limits->files,   &limits->disk,  &limits->output};

	return index < sizeof(at) / sizeof(at[0]) ? at[index] : NULL;
}

/* Each limit can be had up to the most, and one past it is refused: the others stay as they are. */
static void test_limits(struct kh_test *t)
{
	struct kh_limits most = kh_profile_most;

	for (size_t i = 0; limit_at(&most, i) != NULL; i++) {
		struct kh_run got, run = a_run();
		struct kh_limits want = *kh_profile_limits(KH_PROFILE_RUN);
		*limit_at(&run.limits, i) = *limit_at(&want, i) = *limit_at(&most, i);
		must(t, pass_run(t, &run, &got));
		assert_memory_equal(&got.limits, &want, sizeof(want));
		*limit_at(&run.limits, i) = *limit_at(&most, i) + 1;
		refuse_run(t, &run, "past the most");
		*limit_at(&run.limits, i) = UINT64_MAX;
		refuse_run(t, &run, "past the most");
	}
	struct kh_fetch fetch = a_fetch();
	fetch.limits.wall_ms = kh_profile_most.wall_ms + 1;
	refuse_fetch(t, &fetch, "wall clock");
	fetch.limits = (struct kh_limits){.output = kh_profile_most.output + 1};
	refuse_fetch(t, &fetch, "output");
}

/* Wherever a path can stand, one that leads elsewhere is refused. */
static void test_paths(struct kh_test *t)
{
	static const char *const bad[] = {"etc",   "./etc", "../etc", "/..", "/../etc", "/a/../b",
					  "/a/..", "~",     " /a",    "/",   "//",      "/./"};
	static const char *const good[] = {"/a", "/a/...", "/a/..b", "/a..", "//a", "/a/.b/"};
	struct kh_run got;
	struct kh_fetch got_fetch;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_view path = kh_view_str(bad[i]);
		struct kh_run run = a_run();
		run.work = path;
		refuse_run(t, &run, "work folder");
		run = a_run();
		run.cache = path;
		refuse_run(t, &run, "cache folder");
		run = a_run();
		run.read[0] = KH_LIT("/fine");
		run.read[1] = path;
		run.reads = 2;
		refuse_run(t, &run, "read 2");
		run = a_run();
		run.write[0] = path;
		run.writes = 1;
		refuse_run(t, &run, "write 1");
		struct kh_fetch fetch = a_fetch();
		fetch.authority = path;
		refuse_fetch(t, &fetch, "authorities");
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct kh_run run = a_run();
		run.work = run.cache = run.read[0] = run.write[0] = kh_view_str(good[i]);
		run.reads = run.writes = 1;
		must(t, pass_run(t, &run, &got));
		struct kh_fetch fetch = a_fetch();
		fetch.authority = kh_view_str(good[i]);
		must(t, pass_fetch(t, &fetch, &got_fetch));
	}
	/* An empty item of a list is not "no path". */
	struct kh_run run = a_run();
	run.reads = 1;
	refuse_run(t, &run, "read 1");
}

static void test_no_program(struct kh_test *t)
{
	struct kh_run run = a_run();
	struct kh_view packet;

	run.argv[0] = KH_LIT("");
	refuse_run(t, &run, "no program");
	run.argc = 0;
	must_fail(t, KH_EINPUT, kh_request_write_run(&run, buffer, &packet, &t->err));
	assert_string_equal(t->err.code, "bad_request");
	run = a_run();
	run.argv[0] = kh_view_of("/bin/\0sh", 8);
	must_fail(t, KH_EINPUT, kh_request_write_run(&run, buffer, &packet, &t->err));
	assert_string_equal(t->err.code, "bad_request");
}

static void test_unknown(struct kh_test *t)
{
	struct kh_run run = a_run();
	struct kh_fetch fetch = a_fetch();

	run.profile = KH_PROFILES;
	refuse_run(t, &run, "profile");
	run.profile = KH_PROFILE_UPSTREAM; /* no limit of processor time or output: E7 */
	refuse_run(t, &run, "profile upstream");
	fetch.method = KH_METHODS;
	refuse_fetch(t, &fetch, "method");
	fetch = a_fetch();
	fetch.redirects = KH_REQUEST_REDIRECTS + 1;
	refuse_fetch(t, &fetch, "redirects");
	fetch.redirects = UINT32_MAX;
	refuse_fetch(t, &fetch, "redirects");
}

/* One is not taken for the other. */
static void test_other_type(struct kh_test *t)
{
	struct kh_run run = a_run();
	struct kh_fetch fetch = a_fetch();
	struct kh_view packet;

	must(t, kh_request_write_fetch(&fetch, buffer, &packet, &t->err));
	struct kh_message message = receive(t, packet);
	must_fail(t, KH_EINPUT, kh_request_read_run(&message, &run, &t->err));
	must(t, kh_request_write_run(&run, buffer, &packet, &t->err));
	message = receive(t, packet);
	must_fail(t, KH_EINPUT, kh_request_read_fetch(&message, &fetch, &t->err));
}

static void test_fetch(struct kh_test *t)
{
	struct kh_fetch got,
		fetch = {
			.url = KH_LIT_INIT("https://example.org/v1/chat"),
			.method = KH_METHOD_POST,
			.header = {KH_LIT_INIT("Content-Type: application/json"), KH_LIT_INIT("X-Name:caf\xc3\xa9")},
			.headers = 2,
			.host = {KH_LIT_INIT("localhost"), KH_LIT_INIT("10.0.0.7:8080"), KH_LIT_INIT("[::1]:443")},
			.hosts = 3,
			.plain = true,
			.authority = KH_LIT_INIT("/etc/ca.pem"),
			.redirects = KH_REQUEST_REDIRECTS,
			.limits = {.wall_ms = 1000, .output = 4096},
		};

	must(t, pass_fetch(t, &fetch, &got));
	assert_view(got.url, "https://example.org/v1/chat");
	assert_int_equal(got.method, KH_METHOD_POST);
	assert_int_equal(got.headers, 2);
	assert_view(got.header[0], "Content-Type: application/json");
	assert_view(got.header[1], "X-Name:caf\xc3\xa9");
	assert_int_equal(got.hosts, 3);
	assert_view(got.host[2], "[::1]:443");
	assert_true(got.plain);
	assert_view(got.authority, "/etc/ca.pem");
	assert_int_equal(got.redirects, KH_REQUEST_REDIRECTS);
	assert_int_equal(got.limits.wall_ms, 1000);
	assert_int_equal(got.limits.output, 4096);
	assert_int_equal(got.limits.memory, kh_profile_limits(KH_PROFILE_HTTP)->memory);
}

/* A struct that says none gets none; a message that does not say gets five. */
static void test_redirects(struct kh_test *t)
{
	struct kh_fetch got, fetch = a_fetch();
	struct kh_message_out out;
	struct kh_view packet;

	fetch.redirects = 0;
	must(t, pass_fetch(t, &fetch, &got));
	assert_int_equal(got.redirects, 0);
	assert_false(got.plain);
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_FETCH);
	kh_message_text(&out, KH_FIELD_URL, KH_LIT("https://example.org/"));
	must(t, kh_message_end(&out, &packet));
	struct kh_message message = receive(t, packet);
	must(t, kh_request_read_fetch(&message, &got, &t->err));
	assert_int_equal(got.redirects, 5);
	assert_int_equal(got.method, KH_METHOD_GET);
	assert_memory_equal(&got.limits, kh_profile_limits(KH_PROFILE_HTTP), sizeof(got.limits));
}

/* E8: no header can end the line, frame the message, name another host, or take one of ours away. */
static void test_headers(struct kh_test *t)
{
	static const char *const bad[] = {
		"",
		"X",
		"X;",
		":",
		": x",
		" X: y",
		"X : y",
		"X Y: z",
		"X:",
		"X: ",
		"X: \t ",
		"X: a\r\nY: b",
		"X: a\nb",
		"X: a\rb",
		"X: a\tb",
		"X: \x7f",
		"X: \x1b[m",
		"X\x80: y",
		"Host: a",
		"HOST:a",
		"hOsT: a",
		"Content-Length: 1",
		"content-length:1",
		"Transfer-Encoding: chunked",
		"Connection: close",
		"Accept-Encoding: gzip",
		"Expect: 100-continue",
		"TE: trailers",
		"Trailer: X",
		"Upgrade: h2c",
		"Keep-Alive: 1",
		"Proxy-Connection: x",
		"Proxy-Authorization: x",
		"@Host: x",
		"(X): y",
		"\"X\": y",
	};
	static const char *const good[] = {
		"X: y",     "x:y",     "Authorization: Bearer a.b-c", "Accept: */*",    "X-Host: a", "Hos: a",
		"Hostt: a", "X: a: b", "X!#$%&'*+-.^_`|~1: y",        "X: \xc3\xa9\xff"};
	struct kh_fetch got;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_fetch fetch = a_fetch();
		fetch.header[0] = KH_LIT("Accept: text/html");
		fetch.header[1] = kh_view_str(bad[i]);
		fetch.headers = 2;
		refuse_fetch(t, &fetch, "header 2 ");
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct kh_fetch fetch = a_fetch();
		fetch.header[0] = kh_view_str(good[i]);
		fetch.headers = 1;
		must(t, pass_fetch(t, &fetch, &got));
		assert_view(got.header[0], good[i]);
	}
	/* A NUL byte does not even make a message. */
	struct kh_fetch fetch = a_fetch();
	struct kh_view packet;
	fetch.header[0] = kh_view_of("X: a\0b", 6);
	fetch.headers = 1;
	must_fail(t, KH_EINPUT, kh_request_write_fetch(&fetch, buffer, &packet, &t->err));
}

static void test_hosts(struct kh_test *t)
{
	static const char *const bad[] = {"", "a b", "a/b", "a@b", "a\n", "*", "a,b", "http://a", "\xc3\xa9", "a%20"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_fetch fetch = a_fetch();
		fetch.host[0] = kh_view_str(bad[i]);
		fetch.hosts = 1;
		refuse_fetch(t, &fetch, "host 1 ");
	}
}

/* What does not fit is said when it is written, never cut: too many, too long, too much together. */
static void test_too_large(struct kh_test *t)
{
	static char text[KH_MESSAGE_TEXT + 1];
	struct kh_view packet = {0};
	struct kh_run got, run = a_run();

	memset(text, 'x', sizeof(text));
	run.argv[1] = kh_view_of(text, KH_MESSAGE_TEXT);
	run.argc = 2;
	must(t, pass_run(t, &run, &got));
	run.argv[1] = kh_view_of(text, KH_MESSAGE_TEXT + 1);
	must_fail(t, KH_ELIMIT, kh_request_write_run(&run, buffer, &packet, &t->err));
	assert_string_equal(t->err.code, "request_size");
	for (size_t i = 0; i < KH_REQUEST_ARGUMENTS; i++)
		run.argv[i] = kh_view_of(text, 512);
	run.argc = KH_REQUEST_ARGUMENTS; /* 64 KiB and a little */
	must_fail(t, KH_ELIMIT, kh_request_write_run(&run, buffer, &packet, &t->err));
	for (size_t i = 0; i < KH_REQUEST_ARGUMENTS; i++)
		run.argv[i] = kh_view_of(text, 500);
	must(t, pass_run(t, &run, &got));
	assert_int_equal(got.argc, KH_REQUEST_ARGUMENTS);

	size_t *const counts[] = {&run.argc, &run.reads, &run.writes};
	for (size_t i = 0; i < 3; i++) {
		run = a_run();
		*counts[i] = i == 0 ? KH_REQUEST_ARGUMENTS + 1 : KH_REQUEST_PATHS + 1;
		must_fail(t, KH_ELIMIT, kh_request_write_run(&run, buffer, &packet, &t->err));
		assert_string_equal(t->err.code, "request_size");
	}
	struct kh_fetch fetch = a_fetch();
	fetch.headers = KH_REQUEST_HEADERS + 1;
	must_fail(t, KH_ELIMIT, kh_request_write_fetch(&fetch, buffer, &packet, &t->err));
	fetch = a_fetch();
	fetch.hosts = KH_REQUEST_HOSTS + 1;
	must_fail(t, KH_ELIMIT, kh_request_write_fetch(&fetch, buffer, &packet, &t->err));
	fetch = a_fetch();
	fetch.url = kh_view_of(text, sizeof(text));
	must_fail(t, KH_ELIMIT, kh_request_write_fetch(&fetch, buffer, &packet, &t->err));
	fetch.url = KH_LIT("");
	must_fail(t, KH_EINPUT, kh_request_write_fetch(&fetch, buffer, &packet, &t->err));
	assert_null(packet.p);
}

/* The struct's arrays and the table of messages have room for the same. */
static void test_full_lists(struct kh_test *t)
{
	struct kh_run got, run = a_run();
	struct kh_fetch got_fetch, fetch = a_fetch();

	run.argc = KH_REQUEST_ARGUMENTS;
	run.argv[KH_REQUEST_ARGUMENTS - 1] = KH_LIT("last");
	run.reads = run.writes = KH_REQUEST_PATHS;
	for (size_t i = 0; i < KH_REQUEST_PATHS; i++)
		run.read[i] = run.write[i] = KH_LIT("/p");
	must(t, pass_run(t, &run, &got));
	assert_int_equal(got.argc, KH_REQUEST_ARGUMENTS);
	assert_view(got.argv[KH_REQUEST_ARGUMENTS - 1], "last");
	assert_int_equal(got.reads, KH_REQUEST_PATHS);
	assert_int_equal(got.writes, KH_REQUEST_PATHS);
	fetch.headers = KH_REQUEST_HEADERS;
	fetch.hosts = KH_REQUEST_HOSTS;
	for (size_t i = 0; i < KH_REQUEST_HEADERS; i++)
		fetch.header[i] = KH_LIT("A: b");
	for (size_t i = 0; i < KH_REQUEST_HOSTS; i++)
		fetch.host[i] = KH_LIT("a.b");
	must(t, pass_fetch(t, &fetch, &got_fetch));
	assert_int_equal(got_fetch.headers, KH_REQUEST_HEADERS);
	assert_int_equal(got_fetch.hosts, KH_REQUEST_HOSTS);
}

/* E8: a worker of ours that takes a job is no program to be named, and has what its kind can have. */
static void test_jobs(struct kh_test *t)
{
	struct kh_run got, run = {.profile = KH_PROFILE_READ, .read = {KH_LIT_INIT("/srv")}, .reads = 1};

	must(t, pass_run(t, &run, &got));
	assert_view(got.read[0], "/srv");
	run.argv[0] = KH_LIT("/bin/sh");
	run.argc = 1;
	refuse_run(t, &run, "takes no program");
	run.argc = 0;
	run.work = KH_LIT("/srv");
	refuse_run(t, &run, "takes no program, work");
	run.work = KH_LIT("");
	run.limits.memory = 1 << 20;
	must(t, pass_run(t, &run, &got));

	/* One that runs before its job comes has its limits and its root already. */
	run.profile = KH_PROFILE_TEXT;
	refuse_run(t, &run, "takes no paths");
	run.reads = 0;
	refuse_run(t, &run, "no limits but");
	run.limits.memory = 0;
	run.limits.output = run.limits.wall_ms = 5;
	must(t, pass_run(t, &run, &got));
	assert_int_equal(got.limits.output, 5);
}

/* E8: what is connected to is a host with a port, or the path of a socket, and for who may have it alone. */
static void test_connections(struct kh_test *t)
{
	static const char *const good[] = {"db.example:5432", "127.0.0.1:5432", "[::1]:5432", "/run/db/.s.PGSQL.5432"};
	static const char *const bad[] = {"db example:5432", "/run/../etc", "/", "db\nx:1", "user@db:1"};
	struct kh_run got, run = {.profile = KH_PROFILE_QUERY, .host = {KH_LIT_INIT("127.0.0.1")}, .hosts = 1};

	refuse_run(t, &run, "nothing to connect to");
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		run.connect = kh_view_str(good[i]);
		must(t, pass_run(t, &run, &got));
		assert_view(got.connect, good[i]);
		assert_int_equal(got.hosts, 1);
		assert_view(got.host[0], "127.0.0.1");
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		run.connect = kh_view_str(bad[i]);
		refuse_run(t, &run, bad[i][0] == '/' ? "absolute path" : "is not a host");
	}
	run.connect = KH_LIT("db.example:5432");
	run.host[0] = KH_LIT("a b");
	refuse_run(t, &run, "is not a host");
	run.hosts = 0;
	run.profile = KH_PROFILE_READ;
	refuse_run(t, &run, "takes no connection");
	run.profile = KH_PROFILE_RUN;
	run.argv[run.argc++] = KH_LIT("true");
	refuse_run(t, &run, "takes no connection");
}

/* U2: names with a port, each once, for programs alone. */
static void test_network(struct kh_test *t)
{
	static const char *const bad[] = {"a.example",     "a.example:",    "a.example:0",   "a.example:65536",
					  "A.example:80",  "127.0.0.1:80",  "[::1]:80",      "a..b:80",
					  "a.example.:80", ":80",           "-a.example:80", "a-.example:80",
					  "a b:80",        "*.example:80",  "0x7f.0x1:80",   "a.example:80:1",
					  "a.example:-1",  "a.example:8x",  "1.2:80",        "a/b:80",
					  "a.example:+80", "caf\xc3\xa9:80"};
	struct kh_run run = {.profile = KH_PROFILE_RUN, .argc = 1, .networks = 2}, got;
	struct kh_view name;
	int port = 0;

	run.argv[0] = KH_LIT("true");
	run.network[0] = KH_LIT("api.example:443");
	run.network[1] = KH_LIT("api.example:8443");
	run.host[run.hosts++] = KH_LIT("api.example");
	must(t, pass_run(t, &run, &got));
	assert_int_equal(got.networks, 2);
	assert_view(got.network[1], "api.example:8443");
	assert_int_equal(got.bytes_out, KH_REQUEST_BYTES_OUT);
	assert_true(kh_request_target(got.network[1], &name, &port));
	assert_view(name, "api.example");
	assert_int_equal(port, 8443);
	run.network[1] = run.network[0];
	refuse_run(t, &run, "named twice");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		run.network[1] = kh_view_str(bad[i]);
		refuse_run(t, &run, "is not a name in lower case");
	}
	run.networks = 1;
	run.bytes_out = 5;
	must(t, pass_run(t, &run, &got));
	assert_int_equal(got.bytes_out, 5);
	run.profile = KH_PROFILE_HTTP;
	refuse_run(t, &run, "has no network");
}

static void test_host(struct kh_test *t)
{
	assert_view(kh_request_host(&t->arena, KH_LIT("localhost"), 80), "localhost:80");
	assert_view(kh_request_host(&t->arena, KH_LIT("::1"), 8080), "[::1]:8080");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_run),        KH_TEST_ONCE(test_run_defaults), KH_TEST_ONCE(test_limits),
	KH_TEST_ONCE(test_paths),      KH_TEST_ONCE(test_no_program),   KH_TEST_ONCE(test_unknown),
	KH_TEST_ONCE(test_other_type), KH_TEST_ONCE(test_fetch),        KH_TEST_ONCE(test_redirects),
	KH_TEST_ONCE(test_headers),    KH_TEST_ONCE(test_hosts),        KH_TEST_ONCE(test_too_large),
	KH_TEST_ONCE(test_full_lists), KH_TEST_ONCE(test_jobs),         KH_TEST_ONCE(test_connections),
	KH_TEST_ONCE(test_host),       KH_TEST_ONCE(test_network),
};

KH_TEST_MAIN(cases)
