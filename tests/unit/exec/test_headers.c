#include "exec/headers.h"

#include "harness.h"

#include <curl/curl.h>

static void test_find(struct kh_test *t)
{
	struct kh_view block = KH_LIT("HTTP/1.1 200 OK\r\nX-A:  1 \r\nx-b: 2\r\nX-A: 3\r\n\r\n"), value;
	(void)t;

	assert_true(kh_headers_find(block, KH_LIT("x-a"), &value));
	assert_view(value, "1");
	assert_true(kh_headers_find(block, KH_LIT("X-B"), &value));
	assert_view(value, "2");
	assert_false(kh_headers_find(block, KH_LIT("X"), &value));
	assert_false(kh_headers_find(block, KH_LIT("X-AA"), &value));
	assert_false(kh_headers_find(KH_LIT(""), KH_LIT("X-A"), &value));
}

static void test_until_close(struct kh_test *t)
{
	(void)t;
	assert_true(kh_headers_until_close(KH_LIT("HTTP/1.1 200 OK\r\n\r\n"), 200));
	assert_false(kh_headers_until_close(KH_LIT("HTTP/1.1 204 OK\r\n\r\n"), 204));
	assert_false(kh_headers_until_close(KH_LIT("HTTP/1.1 304 OK\r\n\r\n"), 304));
	assert_false(kh_headers_until_close(KH_LIT("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"), 200));
	assert_false(kh_headers_until_close(KH_LIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), 200));
}

static void expect_location(struct kh_view block, const char *want)
{
	char *url = kh_headers_location(block, "https://example.test/a/b?c");

	if (want == NULL)
		assert_null(url);
	else
		assert_string_equal(url, want);
	curl_free(url);
}

/* E8: where a redirect leads is a whole URL, or nothing. */
static void test_location(struct kh_test *t)
{
	static char line[20000] = "Location: /";
	(void)t;

	expect_location(KH_LIT("X: y\r\nLocation: ../z\r\n"), "https://example.test/z");
	expect_location(KH_LIT("location: http://other.test/\r\n"), "http://other.test/");
	expect_location(KH_LIT("Location: ?d\r\n"), "https://example.test/a/b?d");
	expect_location(KH_LIT("Location: data:text/plain,x\r\n"), NULL);
	expect_location(KH_LIT("Location: http://\r\n"), NULL);
	expect_location(KH_LIT("Location: \r\n"), NULL);
	expect_location(KH_LIT("X: y\r\n"), NULL);
	memset(line + 11, 'x', sizeof(line) - 11);
	expect_location(kh_view_of(line, sizeof(line)), NULL);
	/* Short enough by itself, and too long as a whole URL. */
	expect_location(kh_view_of(line, strlen("Location: ") + 8190), NULL);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_find), KH_TEST_ONCE(test_until_close),
					    KH_TEST_ONCE(test_location)};
KH_TEST_MAIN(cases)
