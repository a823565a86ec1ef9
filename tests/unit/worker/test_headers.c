#include "worker/http/headers.h"

#include "harness.h"

static void test_until_close(struct kh_test *t)
{
	(void)t;
	assert_true(kh_headers_until_close(KH_LIT("HTTP/1.1 200 OK\r\n\r\n"), 200));
	assert_false(kh_headers_until_close(KH_LIT("HTTP/1.1 204 OK\r\n\r\n"), 204));
	assert_false(kh_headers_until_close(KH_LIT("HTTP/1.1 304 OK\r\n\r\n"), 304));
	assert_false(kh_headers_until_close(KH_LIT("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"), 200));
	assert_false(kh_headers_until_close(KH_LIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), 200));
}

/* E8: what frames a body is exactly that, and no decoder works that was not asked for. */
static void test_wrong(struct kh_test *t)
{
	static const char *const good[] = {
		"",
		"X: y\r\n",
		"X: y\r\n over two lines\r\n",
		"Content-Length: 0\r\n",
		"Content-Length: 5\r\ncontent-length:5\r\n",
		"Content-Encoding: gzip\r\n",
		"Content-Encoding: BR, identity\r\nTransfer-Encoding: chunked\r\n",
		"Content-Encoding: gzip, deflate\r\n",
		"Content-Encoding:\r\n",
	};
	static const char *const bad[] = {
		"Content-Length: 0x10\r\n",
		"Content-Length: -1\r\n",
		"Content-Length:\r\n",
		"Content-Length: 5, 5\r\n",
		"Content-Length: 5\r\nContent-Length: 6\r\n",
		"Content-Length: 5\r\n 0\r\n",
		"Content-Encoding: zstd\r\n",
		"Content-Encoding: gzip,\r\n\tzstd\r\n",
		"Content-Encoding: gzip, zstd\r\n",
		"Transfer-Encoding: compress, chunked\r\n",
		"Transfer-Encoding: gzip, chunked\r\n",
		"Content-Encoding: gzip, gzip, gzip\r\n",
		"Content-Encoding: br, br\r\nTransfer-Encoding: gzip\r\n",
	};
	(void)t;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_null(kh_headers_wrong(kh_view_str(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_non_null(kh_headers_wrong(kh_view_str(bad[i])));
}

static void expect_location(struct kh_view block, const char *want)
{
	struct kh_curl curl;
	assert_int_equal(kh_curl_load(&curl, NULL), KH_OK);
	char *url = kh_headers_location(&curl, block, "https://example.test/a/b?c");

	if (want == NULL)
		assert_null(url);
	else
		assert_string_equal(url, want);
	curl.free(url);
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

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_until_close), KH_TEST_ONCE(test_location),
					    KH_TEST_ONCE(test_wrong)};
KH_TEST_MAIN(cases)
