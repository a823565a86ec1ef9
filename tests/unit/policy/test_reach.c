#include "core/policy/reach.h"
#include "harness.h"

/* I4: what is listened on is what is written: numbers, and nothing that would have to be looked up. */
static void test_read(struct kh_test *t)
{
	static const struct {
		const char *text;
		bool is_v6, is_loopback;
		uint16_t port;
	} good[] = {
		{"127.0.0.1:7433", false, true, 7433},  {"127.255.0.9:0", false, true, 0},
		{"0.0.0.0:1", false, false, 1},         {"192.0.2.1:65535", false, false, 65535},
		{"[::1]:80", true, true, 80},           {"[::]:80", true, false, 80},
		{"[2001:db8::1]:9", true, false, 9},    {"[::ffff:127.0.0.1]:9", true, true, 9},
		{"[::ffff:8.8.8.8]:9", true, false, 9}, {"[::fffe:127.0.0.1]:9", true, false, 9},
	};
	static const char *const bad[] = {
		"",
		"127.0.0.1",
		"127.0.0.1:",
		":7433",
		"localhost:1",
		"127.0.0.1:65536",
		"127.0.0:1",
		"127.0.0.1:+1",
		"127.0.0.1:01",
		"127.0.0.1:1 ",
		" 127.0.0.1:1",
		"::1:80",
		"[::1]",
		"[::1]80",
		"[::1",
		"[127.0.0.1]:1",
		"[fe80::1%lo]:1",
		"127.0.0.1:1:2",
		"[]:1",
		"127.0.0.1:1/x",
		"0127.0.0.1:1",
		"127.0.0.1:-1",
		"[::1]:100000",
		"*:80",
		"2130706433:1",
	};

	(void)t;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct kh_reach reach;
		assert_true(kh_reach_read(kh_view_str(good[i].text), &reach));
		assert_true(reach.is_v6 == good[i].is_v6 && reach.is_loopback == good[i].is_loopback);
		assert_int_equal(reach.port, good[i].port);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (kh_reach_is_listen(kh_view_str(bad[i])))
			print_error("%s was taken\n", bad[i]);
		assert_false(kh_reach_is_listen(kh_view_str(bad[i])));
	}
	assert_false(kh_reach_is_listen(kh_view_of("127.0.0.1\0:1", 12)));
}

/* I5: what a guard compares with is exact: no pattern, no path, nothing left open. */
static void test_names(struct kh_test *t)
{
	static const char *const hosts[] = {"a", "a.example:443", "192.0.2.1", "[::1]", "[::1]:7433"};
	static const char *const no_hosts[] = {"",      "*",     "*.a.example", "a b",   "a:",    "a:x",
					       "a/b",   "[::1",  "[a]",         "::1",   "a:1:2", "a:70000",
					       "a_b.c", "-a.bc", "a\n",         "user@a"};
	static const char *const no_origins[] = {"a",         "//a",  "ftp://a",   "https://",   "https://a/",
						 "https://*", "null", "HTTPS://a", "https://u@a"};
	static const char *const no_urls[] = {"a",          "https://a b", "https:///x", "javascript:x", "https://a/\"",
					      "https://a/<"};
	static const char *const no_files[] = {"", "/", "..", "a/../b", "./a", "a//b", "a/", "a\nb", "/../a"};

	(void)t;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		assert_true(kh_reach_is_host(kh_view_str(hosts[i])));
	for (size_t i = 0; i < sizeof(no_hosts) / sizeof(no_hosts[0]); i++)
		assert_false(kh_reach_is_host(kh_view_str(no_hosts[i])));
	assert_true(kh_reach_is_origin(KH_LIT("https://a.example:444")));
	for (size_t i = 0; i < sizeof(no_origins) / sizeof(no_origins[0]); i++)
		assert_false(kh_reach_is_origin(kh_view_str(no_origins[i])));
	assert_true(kh_reach_is_url(KH_LIT("http://a:1/b/c?d#e")) && kh_reach_is_url(KH_LIT("https://a")));
	for (size_t i = 0; i < sizeof(no_urls) / sizeof(no_urls[0]); i++)
		assert_false(kh_reach_is_url(kh_view_str(no_urls[i])));
	assert_true(kh_reach_is_file(KH_LIT("a/b.pem")) && kh_reach_is_file(KH_LIT("/a/b")));
	for (size_t i = 0; i < sizeof(no_files) / sizeof(no_files[0]); i++)
		assert_false(kh_reach_is_file(kh_view_str(no_files[i])));
}

static const struct kh_test_case cases[] = {KH_TEST(test_read), KH_TEST(test_names)};
KH_TEST_MAIN(cases)
