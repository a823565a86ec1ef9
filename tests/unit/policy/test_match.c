#include "core/policy/match.h"
#include "harness.h"

#define V kh_view_str

static void test_glob(struct kh_test *t)
{
	static const struct {
		const char *pattern, *name;
		bool want;
	} all[] = {
		{"files__read", "files__read", true},
		{"files__read", "files__reads", false},
		{"files__*", "files__read", true},
		{"files__*", "files__", true},
		{"files__*", "xfiles__read", false},
		{"*__read*", "files__read_file", true},
		{"*", "", true},
		{"", "", true},
		{"", "a", false},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1c2b", false},
		{"**", "abc", true},
		{"files__*", "Files__read", false},
		{"*.delete", "a.delete.b", false},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(kh_match_glob(V(all[i].pattern), V(all[i].name)), all[i].want);
}

/* E8: a host pattern matches that host, or what stands below it, and no look-alike. */
static void test_host(struct kh_test *t)
{
	static const struct {
		const char *pattern, *host;
		bool want;
	} all[] = {
		{"example.com", "example.com", true},
		{"example.com", "EXAMPLE.com", true},
		{"example.com", "example.com.", true},
		{"example.com", "www.example.com", false},
		{"example.com", "example.com.evil.org", false},
		{"*.example.com", "www.example.com", true},
		{"*.example.com", "a.b.example.com", true},
		{"*.example.com", "example.com", false},
		{"*.example.com", "evil-example.com", false},
		{"*.example.com", ".example.com", false},
		{"*.example.com", "www.example.com.evil.org", false},
		{"example.com", "", false},
		{"example.com", ".", false},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(kh_match_host(V(all[i].pattern), V(all[i].host)), all[i].want);
	assert_true(kh_match_is_host(V("*.example.com")) && kh_match_is_host(V("localhost")) &&
		    kh_match_is_host(V("10.0.0.1")));
	static const char *const bad[] = {
		"",    "*",     "*.com",         "*.",     "a..b",    "-a.com",       "a-.com", "a b",
		"a/b", "a:443", "https://a.com", "*a.com", "a.*.com", "\xc3\xa4.com", "a.com."};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(kh_match_is_host(V(bad[i])));
}

/* E9: a path at or below the root; nothing that climbs out of it. */
static void test_path(struct kh_test *t)
{
	static const struct {
		const char *root, *path;
		bool want;
	} all[] = {
		{"/srv/docs", "/srv/docs", true},       {"/srv/docs", "/srv/docs/a/b", true},
		{"/srv/docs", "/srv/docs2", false},     {"/srv/docs", "/srv", false},
		{"/srv/docs", "/srv/docs/../x", false}, {"/srv/docs", "/srv/docs/./x", false},
		{"/srv/docs", "/srv/docs//x", false},   {"/srv/docs", "srv/docs/x", false},
		{"/srv/docs", "/srv/docs/x\n", false},  {"/", "/etc/passwd", true},
		{"/srv/docs", "/srv/docs/", false},     {"/srv/docs", "", false},
		{"/srv/docs", "/srv/docs/..", false},   {"/srv/docs", "/srv/docs/a\xff", false},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(kh_match_path(V(all[i].root), V(all[i].path)), all[i].want);
	assert_false(kh_match_path(V("/srv"), kh_view_of("/srv/a\0b", 8)));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_glob), KH_TEST_ONCE(test_host), KH_TEST_ONCE(test_path)};
KH_TEST_MAIN(cases)
