#include "harness.h"

#include "http/guard.h"

#define PORT 8137

static const struct kh_view hosts[] = {KH_LIT_INIT("keyhole.example"), KH_LIT_INIT("other.example:9000"),
				       KH_LIT_INIT("tls.example:443")};
static const struct kh_view origins[] = {KH_LIT_INIT("https://page.example")};
static const struct kh_http_guard plain = {.port = PORT};
static const struct kh_http_guard full = {
	.port = PORT, .hosts = hosts, .host_count = 3, .origins = origins, .origin_count = 1};
static const struct kh_http_guard tls = {.port = PORT, .tls = true};

static bool takes(const struct kh_http_guard *guard, const char *host)
{
	bool configured;

	return kh_http_guard_host(guard, kh_view_str(host), &configured);
}

/* I5: every name of this machine's own, with this server's port, and no other. */
static void test_host(struct kh_test *t)
{
	static const char *const good[] = {
		"localhost:8137",       "LocalHost:8137", "127.0.0.1:8137",
		"127.255.255.255:8137", "127.0.0.0:8137", "[::1]:8137",
	};
	static const char *const bad[] = {
		"",
		":",
		":8137",
		"localhost",
		"127.0.0.1",
		"localhost:",
		"localhost:80",
		"localhost:8138",
		"localhost:08137",
		"localhost:+8137",
		"localhost:-8137",
		"localhost: 8137",
		"localhost:8137 ",
		" localhost:8137",
		"localhost:8137/",
		"localhost:8137:8137",
		"localhost:65536",
		"localhost:99999999999",
		"localhost:8137\t",
		"localhost:8137,x",
		"localhost.:8137",
		"localhost.evil:8137",
		"evil.localhost:8137",
		"x@localhost:8137",
		"127.0.0.1.evil:8137",
		"127.1:8137",
		"127.0.0.1.:8137",
		"127.0.0:8137",
		"127.0.0.0.1:8137",
		"127.0.0.01:8137",
		"127.0.0.256:8137",
		"127.0.0.-1:8137",
		"0127.0.0.1:8137",
		"0x7f.0.0.1:8137",
		"2130706433:8137",
		"0.0.0.0:8137",
		"128.0.0.1:8137",
		"10.0.0.1:8137",
		"169.254.169.254:8137",
		"::1:8137",
		"[::1]",
		"[::1]:80",
		"[::1",
		"[]:8137",
		"[::2]:8137",
		"[0:0:0:0:0:0:0:1]:8137",
		"[::ffff:127.0.0.1]:8137",
		"[::1%lo]:8137",
		"[::1]x:8137",
		"[localhost]:8137",
		"keyhole.example",
		"keyhole.example:8137",
		"local\xc4\xb1host:8137",
	};

	(void)t;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(takes(&plain, good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (takes(&plain, bad[i]))
			fail_msg("Host %s was taken", bad[i]);
	}
}

/* The default port may be left out, and stands for itself alone. */
static void test_default_port(struct kh_test *t)
{
	const struct kh_http_guard at_80 = {.port = 80}, at_443 = {.port = 443, .tls = true}, odd = {.port = 443};

	(void)t;
	assert_true(takes(&at_80, "localhost") && takes(&at_80, "localhost:80") && !takes(&at_80, "localhost:443"));
	assert_true(takes(&at_443, "[::1]") && takes(&at_443, "127.0.0.1:443") && !takes(&at_443, "127.0.0.1:80"));
	assert_true(!takes(&odd, "localhost") && takes(&odd, "localhost:443"));
}

/* Over a Unix socket there is no port to compare; names are still looked at. */
static void test_no_port(struct kh_test *t)
{
	const struct kh_http_guard at_socket = {.port = 0};

	(void)t;
	assert_true(takes(&at_socket, "localhost") && takes(&at_socket, "localhost:1234"));
	assert_false(takes(&at_socket, "evil.example"));
}

static void test_configured(struct kh_test *t)
{
	bool configured;

	(void)t;
	assert_true(kh_http_guard_host(&full, KH_LIT("keyhole.example"), &configured) && configured);
	assert_true(kh_http_guard_host(&full, KH_LIT("localhost:8137"), &configured) && !configured);
	assert_true(takes(&full, "KEYHOLE.example:8137"));
	assert_false(takes(&full, "keyhole.example:80") || takes(&full, "x.keyhole.example") ||
		     takes(&full, "keyhole.example.x"));
	assert_true(takes(&full, "other.example:9000"));
	assert_false(takes(&full, "other.example") || takes(&full, "other.example:8137"));
	assert_true(takes(&full, "tls.example") && takes(&full, "tls.example:443"));
	assert_false(takes(&full, "tls.example:80"));
}

static bool calls(const struct kh_http_guard *guard, const char *origin, const char *host)
{
	return kh_http_guard_origin(guard, kh_view_str(origin), kh_view_str(host));
}

/* I5: only pages that this server could have served itself, at the name it was called by. */
static void test_origin(struct kh_test *t)
{
	static const char *const bad[] = {
		"",
		"null",
		"http://",
		"http:///",
		"http://127.0.0.1",
		"http://127.0.0.1:80",
		"http://127.0.0.1:8138",
		"http://localhost:8137",
		"https://127.0.0.1:8137",
		"http://127.0.0.1:8137/",
		"http://127.0.0.1:8137.evil",
		"http://127.0.0.1:8137@evil",
		"http://evil@127.0.0.1:8137",
		"HTTP://127.0.0.1:8137",
		"ftp://127.0.0.1:8137",
		"127.0.0.1:8137",
		"http://evil.example",
		"http://127.0.0.1:8137 http://127.0.0.1:8137",
		"file://",
		"http:/127.0.0.1:8137",
		"https://page.example",
	};

	(void)t;
	assert_true(calls(&plain, "http://127.0.0.1:8137", "127.0.0.1:8137"));
	assert_true(calls(&plain, "http://localhost:8137", "LOCALHOST:8137"));
	assert_true(calls(&tls, "https://[::1]:8137", "[::1]:8137"));
	assert_false(calls(&tls, "http://[::1]:8137", "[::1]:8137"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (calls(&plain, bad[i], "127.0.0.1:8137"))
			fail_msg("Origin %s was taken", bad[i]);
	}
	/* An origin is compared with a Host that is itself acceptable, or with none. */
	assert_false(calls(&plain, "http://evil.example:8137", "evil.example:8137"));
	/* Behind a proxy with TLS. */
	assert_true(calls(&full, "https://keyhole.example", "keyhole.example"));
	assert_true(calls(&full, "http://keyhole.example", "keyhole.example"));
	assert_false(calls(&full, "https://keyhole.example:444", "keyhole.example"));
	assert_true(calls(&full, "https://page.example", "127.0.0.1:8137"));
	assert_false(calls(&full, "http://page.example", "127.0.0.1:8137"));
}

/* Every byte at every place of a short token. */
static void test_bearer(struct kh_test *t)
{
	struct kh_view token;
	char text[16];

	(void)t;
	assert_true(kh_http_guard_bearer(KH_LIT("Bearer abc"), &token));
	assert_view(token, "abc");
	assert_true(kh_http_guard_bearer(KH_LIT("bEARER   a-._~+/="), &token));
	assert_view(token, "a-._~+/=");
	for (unsigned c = 0; c < 256; c++) {
		bool fine = kh_ascii_is_alpha((char)c) || kh_ascii_is_digit((char)c) ||
			    (c != 0 && strchr("-._~+/=", (int)c) != NULL);
		memcpy(text, "Bearer abc", 10);
		text[8] = (char)c;
		assert_int_equal(kh_http_guard_bearer(kh_view_of(text, 10), &token), fine);
		memcpy(text, "Bearer abc", 10);
		text[6] = (char)c;
		assert_int_equal(kh_http_guard_bearer(kh_view_of(text, 10), &token), c == ' ');
	}
	assert_false(kh_http_guard_bearer(KH_LIT(""), &token) ||
		     kh_http_guard_bearer((struct kh_view){NULL, 0}, &token));
	assert_false(kh_http_guard_bearer(KH_LIT("Bearer"), &token) || kh_http_guard_bearer(KH_LIT("Bearer "), &token));
	assert_false(kh_http_guard_bearer(KH_LIT("Bearer    "), &token) ||
		     kh_http_guard_bearer(KH_LIT("Basic abc"), &token));
	char length[KH_HTTP_GUARD_TOKEN + 16] = "Bearer ";
	memset(length + 7, 'a', KH_HTTP_GUARD_TOKEN + 1);
	assert_true(kh_http_guard_bearer(kh_view_of(length, KH_HTTP_GUARD_TOKEN + 7), &token));
	assert_false(kh_http_guard_bearer(kh_view_of(length, KH_HTTP_GUARD_TOKEN + 8), &token));
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

#define OWN                                                        \
	{                                                          \
		KH_LIT_INIT("Host"), KH_LIT_INIT("localhost:8137") \
	}

static const char *verdict(const struct kh_http_pair *headers, size_t count, struct kh_http_knock *knock)
{
	struct kh_error err = {.code = ""};
	enum kh_err e = kh_http_guard_check(&full, headers, count, knock, &err);

	return e == KH_OK ? "" : err.code;
}

#define check(want, ...)                                                                                   \
	do {                                                                                               \
		const struct kh_http_pair headers[] = {OWN, __VA_ARGS__};                                  \
		assert_string_equal(verdict(headers, sizeof(headers) / sizeof(headers[0]), &knock), want); \
	} while (0)
#define H(name, value)                                \
	{                                             \
		KH_LIT_INIT(name), KH_LIT_INIT(value) \
	}

static void test_lengths(struct kh_test *t)
{
	struct kh_http_knock knock;

	(void)t;
	check("", H("X", "y"));
	assert_false(knock.has_length || knock.chunked);
	check("", H("Content-Length", "12"));
	assert_true(knock.has_length && knock.length == 12 && !knock.chunked);
	check("", H("content-length", " 0\t"));
	assert_true(knock.has_length && knock.length == 0);
	check("", H("Transfer-Encoding", "Chunked"));
	assert_true(knock.chunked && !knock.has_length);
	check("bad_length", H("Content-Length", "12"), H("Transfer-Encoding", "chunked"));
	check("bad_length", H("Transfer-Encoding", "chunked"), H("Content-Length", "0"));
	check("bad_length", H("Transfer-Encoding", "gzip, chunked"));
	check("bad_length", H("Transfer-Encoding", "chunked "));
	check("bad_length", H("Transfer-Encoding", "chunked\t"));
	check("bad_length", H("Transfer-Encoding", "identity"));
	check("bad_length", H("Transfer-Encoding", ""));
	check("bad_length", H("Content-Length", ""));
	check("bad_length", H("Content-Length", "-1"));
	check("bad_length", H("Content-Length", "-0"));
	check("bad_length", H("Content-Length", "+1"));
	check("bad_length", H("Content-Length", "1, 1"));
	check("bad_length", H("Content-Length", "1 1"));
	check("bad_length", H("Content-Length", "0x1"));
	check("bad_length", H("Content-Length", "01"));
	check("too_large", H("Content-Length", "9223372036854775808"));
}

static void test_twice(struct kh_test *t)
{
	struct kh_http_knock knock;

	(void)t;
	check("duplicate_header", H("host", "localhost:8137"));
	check("duplicate_header", H("Authorization", "Bearer a"), H("AUTHORIZATION", "Bearer a"));
	check("duplicate_header", H("Origin", "https://page.example"), H("origin", "https://page.example"));
	check("duplicate_header", H("Content-Length", "1"), H("Content-Length", "1"));
	check("duplicate_header", H("Transfer-Encoding", "chunked"), H("Transfer-Encoding", "chunked"));
	check("duplicate_header", H("Authorization", ""), H("Authorization", "Bearer a"));
	check("", H("Accept", "a"), H("Accept", "b"));
}

/* Every byte in a name and in a value. */
static void test_bytes(struct kh_test *t)
{
	struct kh_http_knock knock;
	char text[4];

	(void)t;
	for (unsigned c = 0; c < 256; c++) {
		bool in_name = kh_ascii_is_alpha((char)c) || kh_ascii_is_digit((char)c) ||
			       (c != 0 && strchr("!#$%&'*+-.^_`|~", (int)c) != NULL);
		bool in_value = c == '\t' || (c >= 0x20 && c != 0x7f);
		memcpy(text, "xyz", 3);
		text[1] = (char)c;
		const struct kh_http_pair name[] = {OWN, {{text, 3}, KH_LIT_INIT("v")}};
		const struct kh_http_pair value[] = {OWN, {KH_LIT_INIT("name"), {text, 3}}};
		assert_string_equal(verdict(name, 2, &knock), in_name ? "" : "bad_header");
		assert_string_equal(verdict(value, 2, &knock), in_value ? "" : "bad_header");
	}
	check("bad_header", {{"", 0}, KH_LIT_INIT("v")});
}

static void test_whole(struct kh_test *t)
{
	struct kh_http_knock knock;
	const struct kh_http_pair none[] = {H("X", "y")}, evil[] = {H("Host", "evil.example:8137")};

	(void)t;
	assert_string_equal(verdict(none, 1, &knock), "bad_host");
	assert_string_equal(verdict(none, 0, &knock), "bad_host");
	assert_string_equal(verdict(evil, 1, &knock), "bad_host");
	check("bad_origin", H("Origin", "https://evil.example"));
	check("bad_origin", H("Origin", ""));
	check("", H("Origin", "http://localhost:8137"), H("Authorization", " Bearer a "));
	assert_view(knock.authorization, "Bearer a");
	assert_null(knock.origin.p); /* its own needs no permission */
	check("", H("Origin", "https://page.example"));
	assert_view(knock.origin, "https://page.example");
	assert_null(knock.authorization.p);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_host),       KH_TEST_ONCE(test_default_port), KH_TEST_ONCE(test_no_port),
	KH_TEST_ONCE(test_configured), KH_TEST_ONCE(test_origin),       KH_TEST_ONCE(test_bearer),
	KH_TEST_ONCE(test_lengths),    KH_TEST_ONCE(test_twice),        KH_TEST_ONCE(test_bytes),
	KH_TEST_ONCE(test_whole),
};
KH_TEST_MAIN(cases)
