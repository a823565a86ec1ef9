/* U1: requests for an upstream server over HTTP, and its calls. */
#include "harness.h"

#include "wire/upstream.h"

static char buffer[KH_MESSAGE_MAX];

/* UPSTREAM, written and read again. */
static enum kh_err pass(const struct kh_upstream *upstream, struct kh_upstream *ret_upstream, struct kh_error *err)
{
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	struct kh_message message;
	struct kh_view packet;
	enum kh_err e = kh_upstream_write(upstream, buffer, &packet, err);

	if (e == KH_OK)
		e = kh_message_read(packet, 0, &state, &message, err);
	return e == KH_OK ? kh_upstream_read(&message, ret_upstream, err) : e;
}

static enum kh_err pass_ask(const struct kh_upstream_ask *ask, struct kh_upstream_ask *ret_ask, struct kh_error *err)
{
	enum kh_message_state state = KH_STATE_WORKER_CALL;
	struct kh_message message;
	struct kh_view packet;
	enum kh_err e = kh_upstream_write_ask(ask, buffer, &packet, err);

	if (e == KH_OK)
		e = kh_message_read(packet, 0, &state, &message, err);
	return e == KH_OK ? kh_upstream_read_ask(&message, ret_ask, err) : e;
}

static void test_upstream(struct kh_test *t)
{
	struct kh_upstream up = {.url = KH_LIT("https://mcp.example/mcp"),
				 .header = {KH_LIT("X-One: 1"), KH_LIT("X-Two: 2")},
				 .headers = 2,
				 .secret = {KH_LIT("Authorization=Bearer /run/key"), KH_LIT("X-Key=/run/other")},
				 .secrets = 2,
				 .host = {KH_LIT("mcp.example")},
				 .hosts = 1,
				 .authority = KH_LIT("/etc/ca.pem"),
				 .idle_ms = 5000,
				 .message = 1000,
				 .a_second = 7},
			   got;

	must(t, pass(&up, &got, &t->err));
	assert_view(got.url, "https://mcp.example/mcp");
	assert_int_equal(got.headers, 2);
	assert_view(got.header[1], "X-Two: 2");
	assert_int_equal(got.secrets, 2);
	assert_view(got.secret[0], "Authorization=Bearer /run/key");
	struct kh_view name, scheme, path;
	assert_true(kh_upstream_secret(got.secret[0], &name, &scheme, &path));
	assert_view(name, "Authorization");
	assert_view(scheme, "Bearer ");
	assert_view(path, "/run/key");
	assert_true(kh_upstream_secret(got.secret[1], &name, &scheme, &path));
	assert_int_equal(scheme.n, 0);
	assert_view(got.authority, "/etc/ca.pem");
	assert_int_equal(got.hosts, 1);
	assert_false(got.plain);
	assert_int_equal(got.idle_ms, 5000);
	assert_int_equal(got.message, 1000);
	assert_int_equal(got.a_second, 7);

	up = (struct kh_upstream){.url = KH_LIT("http://mcp.example/"), .plain = true};
	must(t, pass(&up, &got, &t->err));
	assert_true(got.plain);
	assert_int_equal(got.idle_ms, KH_UPSTREAM_IDLE);
	assert_int_equal(got.message, KH_UPSTREAM_MESSAGE);
	assert_int_equal(got.a_second, KH_UPSTREAM_A_SECOND);
}

/* What only the executor may set, what leads elsewhere, and what would be sent twice is refused. */
static void test_refused(struct kh_test *t)
{
	static const struct kh_upstream all[] = {
		{.url = KH_LIT_INIT("https://a/"), .header = {KH_LIT_INIT("Host: b")}, .headers = 1},
		{.url = KH_LIT_INIT("https://a/"), .header = {KH_LIT_INIT("X: a\r\nY: b")}, .headers = 1},
		{.url = KH_LIT_INIT("https://a/"), .header = {KH_LIT_INIT("X")}, .headers = 1},
		{.url = KH_LIT_INIT("https://a/"), .secret = {KH_LIT_INIT("X=key")}, .secrets = 1},
		{.url = KH_LIT_INIT("https://a/"), .secret = {KH_LIT_INIT("X=/a/../key")}, .secrets = 1},
		{.url = KH_LIT_INIT("https://a/"), .secret = {KH_LIT_INIT("X=Bearer/key")}, .secrets = 1},
		{.url = KH_LIT_INIT("https://a/"), .secret = {KH_LIT_INIT("X= /key")}, .secrets = 1},
		{.url = KH_LIT_INIT("https://a/"), .secret = {KH_LIT_INIT("X=a b /key")}, .secrets = 1},
		{.url = KH_LIT_INIT("https://a/"), .secret = {KH_LIT_INIT("X=a\r\nY: /key")}, .secrets = 1},
		{.url = KH_LIT_INIT("https://a/"), .secret = {KH_LIT_INIT("=/key")}, .secrets = 1},
		{.url = KH_LIT_INIT("https://a/"), .secret = {KH_LIT_INIT("X Y=/key")}, .secrets = 1},
		{.url = KH_LIT_INIT("https://a/"), .secret = {KH_LIT_INIT("Connection=/key")}, .secrets = 1},
		{.url = KH_LIT_INIT("https://a/"),
		 .secret = {KH_LIT_INIT("X=/key"), KH_LIT_INIT("x=/other")},
		 .secrets = 2},
		{.url = KH_LIT_INIT("https://a/"),
		 .header = {KH_LIT_INIT("x-key: a")},
		 .headers = 1,
		 .secret = {KH_LIT_INIT("X-Key=/key")},
		 .secrets = 1},
		{.url = KH_LIT_INIT("https://a/"), .host = {KH_LIT_INIT("a b")}, .hosts = 1},
		{.url = KH_LIT_INIT("https://a/"), .authority = KH_LIT_INIT("ca.pem")},
		{.url = KH_LIT_INIT("https://a/"), .idle_ms = KH_UPSTREAM_IDLE_MOST + 1},
		{.url = KH_LIT_INIT("https://a/"), .message = KH_UPSTREAM_MESSAGE_MOST + 1},
		{.url = KH_LIT_INIT("https://a/"), .a_second = KH_UPSTREAM_SECOND_MOST + 1},
	};
	struct kh_upstream got;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		must_fail(t, KH_EINPUT, pass(&all[i], &got, &t->err));
		assert_string_equal(t->err.code, "bad_request");
	}
	must_fail(t, KH_EINPUT, pass(&(struct kh_upstream){.headers = 0}, &got, &t->err)); /* no URL */
	must_fail(t, KH_ELIMIT, pass(&(struct kh_upstream){.url = KH_LIT("https://a/"), .secrets = 99}, &got, &t->err));
}

static void test_ask(struct kh_test *t)
{
	static const char *const good[] = {"", "/", "/a/b.c", "?x=..", "/a?b=/../c", "/...", "/%20"};
	static const char *const bad[] = {"a",     "/..",    "/a/../b",   "/./a",      "/a b",   "/a#b",
					  "/a\\b", "/a\x01", "/\xc3\xa4", "/%2e%2e/a", "/a/%2E", "@b"};
	struct kh_upstream_ask ask = {.method = KH_METHOD_DELETE,
				      .header = {KH_LIT("Mcp-Session-Id: a")},
				      .headers = 1,
				      .wall_ms = 9,
				      .output = 8},
			       got;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ask.path = kh_view_str(good[i]);
		must(t, pass_ask(&ask, &got, &t->err));
		assert_view(got.path, good[i]);
	}
	assert_int_equal(got.method, KH_METHOD_DELETE);
	assert_int_equal(got.wall_ms, 9);
	assert_int_equal(got.output, 8);
	assert_view(got.header[0], "Mcp-Session-Id: a");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ask.path = kh_view_str(bad[i]);
		must_fail(t, KH_EINPUT, pass_ask(&ask, &got, &t->err));
	}
	ask.path = KH_LIT("");
	ask.method = KH_METHODS;
	must_fail(t, KH_EINPUT, pass_ask(&ask, &got, &t->err));
	ask.method = KH_METHOD_GET;
	ask.header[0] = KH_LIT("Transfer-Encoding: chunked");
	must_fail(t, KH_EINPUT, pass_ask(&ask, &got, &t->err));
	ask.headers = KH_REQUEST_HEADERS + 1;
	must_fail(t, KH_ELIMIT, pass_ask(&ask, &got, &t->err));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_upstream), KH_TEST_ONCE(test_refused),
					    KH_TEST_ONCE(test_ask)};
KH_TEST_MAIN(cases)
