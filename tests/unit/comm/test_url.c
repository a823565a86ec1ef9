#include "core/comm/url.h"
#include "harness.h"

#include <stdio.h>

/* E3: an https URL. */
static void test_accepted(struct kh_test *t)
{
	static const struct {
		const char *text, *host, *rest;
		int port;
		bool is_address;
	} all[] = {
		{"https://example.com", "example.com", "", 443, false},
		{"https://example.com/api/data", "example.com", "/api/data", 443, false},
		{"https://EXAMPLE.com:8443/a?b=c&d=%20#e", "EXAMPLE.com", "/a?b=c&d=%20#e", 8443, false},
		{"HTTPS://xn--bcher-kva.example.", "xn--bcher-kva.example.", "", 443, false},
		{"https://localhost?q", "localhost", "?q", 443, false},
		{"https://192.0.2.7:1/", "192.0.2.7", "/", 1, true},
		{"https://[2001:db8::1]:65535/x", "2001:db8::1", "/x", 65535, true},
		{"https://[::]", "::", "", 443, true},
		{"https://[1:2:3:4:5:6:7:8]", "1:2:3:4:5:6:7:8", "", 443, true},
		{"https://[::ffff:192.0.2.7]/", "::ffff:192.0.2.7", "/", 443, true},
		{"https://[1::]/", "1::", "/", 443, true},
		{"https://1.example.com/@user", "1.example.com", "/@user", 443, false},
		{"https://a-b.example/~x/;v=1/(y)*'!$,+=:", "a-b.example", "/~x/;v=1/(y)*'!$,+=:", 443, false},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_url url;
		must(t, kh_url_read(kh_view_str(all[i].text), &url, &t->err));
		assert_view(url.host, all[i].host);
		assert_view(url.rest, all[i].rest);
		assert_int_equal(url.port, all[i].port);
		assert_int_equal(url.is_address, all[i].is_address);
	}
}

/* clang-format off */
static const char *const refused[] = {
	"", "https", "https:/example.com", "https:example.com", "http://example.com/", "ftp://example.com/",
	"file:///etc/passwd", "javascript:alert(1)", "//example.com/", "example.com",
	" https://example.com", "https://example.com ", "https://exa mple.com/", "https://example.com/a b",
	"https://example.com/\t", "https://example.com/\r\nHost: x", "https://example.com/\x01", "https://example.com/\x7f",
	"https://", "https:///path", "https://?q", "https://:443/",
	"https://user@example.com/", "https://user:pass@example.com/", "https://example.com@evil.example/",
	"https://example.com\\@evil.example/", "https://example.com/\\",
	"https://example.com:/", "https://example.com:0/", "https://example.com:65536/", "https://example.com:080/",
	"https://example.com:-1/", "https://example.com:80x/", "https://example.com:1:2/",
	"https://example..com/", "https://.example.com/", "https://-example.com/", "https://example-.com/",
	"https://exam_ple.com/", "https://example.com../",
	"https://2130706433/", "https://127.1/", "https://0x7f.0.0.1/", "https://0x7f000001/", "https://010.0.0.1/",
	"https://1.2.3.4.5/", "https://256.1.1.1/", "https://[::1/", "https://[::1]x/", "https://[::1%25eth0]/",
	"https://[127.0.0.1]/", "https://[]/", "https://2001:db8::1/",
	"https://[1:2:3:4:5:6:7]/", "https://[1:2:3:4:5:6:7:8:9]/", "https://[1:2:3:4:5:6:7::8]/", "https://[1::2::3]/",
	"https://[:::]/", "https://[:1]/", "https://[1:]/", "https://[12345::]/", "https://[g::]/", "https://[192.0.2.7::]/",
	"https://[::192.0.2]/", "https://[::192.0.2.07]/", "https://1.2.3/", "https://1.2.3.-4/",
	"https://b\xc3\xbc\x63her.example/", "https://ex\xe2\x80\x8b\x61mple.com/", "https://example.com/\xc3\xbc",
	"https://example.com/%", "https://example.com/%4", "https://example.com/%zz", "https://example.com/<x>",
	"https://example.com/\"", "https://example.com/[x]", "https://example%2ecom/",
};
/* clang-format on */

/* E3: everything that two readers could take for two things. */
static void test_refused(struct kh_test *t)
{
	struct kh_url url;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (kh_url_read(kh_view_str(refused[i]), &url, &t->err) == KH_OK)
			fail_msg("accepted: %s", refused[i]);
		assert_string_equal(t->err.code, "bad_url");
	}
	must_fail(t, KH_EINPUT, kh_url_read(KH_LIT("https://example.com/\0"), &url, &t->err));
	must_fail(t, KH_EINPUT, kh_url_read(KH_LIT("https://example.com\0.evil.example/"), &url, &t->err));
}

static void test_limits(struct kh_test *t)
{
	char text[KH_URL_MAX + 1];
	struct kh_url url;

	memset(text, 'a', sizeof(text));
	memcpy(text, "https://example.com/", 20);
	must(t, kh_url_read(kh_view_of(text, KH_URL_MAX), &url, &t->err));
	must_fail(t, KH_ELIMIT, kh_url_read(kh_view_of(text, KH_URL_MAX + 1), &url, &t->err));
	memset(text + 8, 'a', 64);
	text[8 + 64] = '/';
	must_fail(t, KH_EINPUT, kh_url_read(kh_view_of(text, 100), &url, &t->err));
}

/* E8: http only where it was granted; a URL that was checked has one spelling. */
static void test_written(struct kh_test *t)
{
	static const struct {
		const char *text, *written;
		int port;
		bool plain;
	} all[] = {
		{"https://example.com", "https://example.com/", 443, false},
		{"HTTPS://EXAMPLE.Com:443?Q=A", "https://example.com/?Q=A", 443, false},
		{"https://example.com./A/%2E?b=c&d=%20#e?f", "https://example.com/A/%2E?b=c&d=%20", 443, false},
		{"https://example.com#", "https://example.com/", 443, false},
		{"https://example.com#/x?y", "https://example.com/", 443, false},
		{"https://example.com?", "https://example.com/?", 443, false},
		{"https://example.com:80/", "https://example.com:80/", 80, false},
		{"http://example.com", "http://example.com/", 80, true},
		{"hTTp://example.com:80/x", "http://example.com/x", 80, true},
		{"http://example.com:443/x", "http://example.com:443/x", 443, true},
		{"http://XN--BCHER-KVA.example.:8080//x//", "http://xn--bcher-kva.example:8080//x//", 8080, true},
		{"https://192.0.2.7:65535", "https://192.0.2.7:65535/", 65535, false},
		{"https://[2001:DB8::A]:8443/X", "https://[2001:db8::a]:8443/X", 8443, false},
		{"http://[::FFFF:192.0.2.7]?x", "http://[::ffff:192.0.2.7]/?x", 80, true},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_url url, again;
		char buffer[KH_URL_MAX + 1];
		struct kh_view text;
		must(t, kh_url_read_web(kh_view_str(all[i].text), true, &url, &t->err));
		assert_int_equal(url.port, all[i].port);
		assert_int_equal(url.plain, all[i].plain);
		must(t, kh_url_write(&url, buffer, sizeof(buffer), &text));
		assert_view(text, all[i].written);
		/* It ends with a NUL for those who need one, and it is the same URL. */
		assert_string_equal(buffer, all[i].written);
		must(t, kh_url_read_web(text, true, &again, &t->err));
		assert_int_equal(again.port, url.port);
		assert_int_equal(again.is_address, url.is_address);
		/* Without the grant, https is what it was, and http is no URL. */
		enum kh_err e = kh_url_read_web(kh_view_str(all[i].text), false, &again, &t->err);
		assert_int_equal(e, all[i].plain ? KH_EINPUT : KH_OK);
		assert_int_equal(kh_url_read(kh_view_str(all[i].text), &again, &t->err), e);
		assert_false(e == KH_OK && again.plain);
	}
}

/* E8: http has the rules of https. */
static void test_plain_refused(struct kh_test *t)
{
	char text[100] = "http";
	struct kh_url url;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (strncmp(refused[i], "https", 5) != 0)
			continue;
		snprintf(text + 4, sizeof(text) - 4, "%s", refused[i] + 5);
		if (kh_url_read_web(kh_view_str(text), true, &url, &t->err) == KH_OK)
			fail_msg("accepted: %s", text);
		assert_string_equal(t->err.code, "bad_url");
		if (kh_url_read_web(kh_view_str(refused[i]), true, &url, &t->err) == KH_OK)
			fail_msg("accepted: %s", refused[i]);
	}
	must_fail(t, KH_EINPUT, kh_url_read_web(KH_LIT("httpx://example.com/"), true, &url, &t->err));
	must_fail(t, KH_EINPUT, kh_url_read_web(KH_LIT("http:/"), true, &url, &t->err));
	must_fail(t, KH_EINPUT, kh_url_read_web(KH_LIT("http://"), true, &url, &t->err));
}

static void test_write_limits(struct kh_test *t)
{
	char text[KH_URL_MAX], buffer[KH_URL_MAX + 2];
	struct kh_view written = KH_LIT("untouched");
	struct kh_url url;

	must(t, kh_url_read(KH_LIT("https://a.example"), &url, &t->err));
	must(t, kh_url_write(&url, buffer, sizeof("https://a.example/"), &written));
	assert_view(written, "https://a.example/");
	must_fail(t, KH_ELIMIT, kh_url_write(&url, buffer, sizeof("https://a.example"), &written));
	must_fail(t, KH_ELIMIT, kh_url_write(&url, buffer, 0, &written));
	/* The "/" makes it longer than a URL may be: it is not written, for it could not be read again. */
	memset(text, 'a', sizeof(text));
	memcpy(text, "https://a.example?", 18);
	must(t, kh_url_read(kh_view_of(text, sizeof(text)), &url, &t->err));
	must_fail(t, KH_ELIMIT, kh_url_write(&url, buffer, sizeof(buffer), &written));
	assert_view(written, "https://a.example/");
	must(t, kh_url_read(kh_view_of(text, sizeof(text) - 1), &url, &t->err));
	must(t, kh_url_write(&url, buffer, sizeof(buffer), &written));
	assert_int_equal(written.n, KH_URL_MAX);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_accepted),      KH_TEST_ONCE(test_refused),
					    KH_TEST_ONCE(test_limits),        KH_TEST_ONCE(test_written),
					    KH_TEST_ONCE(test_plain_refused), KH_TEST_ONCE(test_write_limits)};
KH_TEST_MAIN(cases)
