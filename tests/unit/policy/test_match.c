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

/* E4, K8: a star of an argument's pattern takes part of a word, two take anything. */
static void test_value(struct kh_test *t)
{
	static const struct {
		const char *pattern, *value;
		bool want;
	} all[] = {
		{"*@example.com", "a.b+c@example.com", true},
		{"*@example.com", "@example.com", true},
		{"*@example.com", "evil@evil.org,a@example.com", false},
		{"*@example.com", "evil@evil.org a@example.com", false},
		{"**@example.com", "evil@evil.org,a@example.com", true},
		{"*@example.com", "a@example.com\n", false},
		{"*@example.com", "a@example.com.evil.org", false},
		{"/srv/*", "/srv/a.txt", true},
		{"/srv/*", "/srv/a/b", false},
		{"/srv/**", "/srv/a/b c", true},
		{"/srv/**/x", "/srv/a/b/x", true},
		{"/srv/**/x", "/srv/x", false},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1b2b3c", true},
		{"a*b**c", "a1b 2c", true},
		{"a*b**c", "a 1b2c", false},
		{"*ab*", "aab", true},
		{"*a!*", "a!a!", false},
		{"a***b", "a / b", true},
		{"**", "", true},
		{"*", "", true},
		{"*", "a b", false},
		{"a", "", false},
		{"", "", false},
		{"abc", "abc", true},
		{"abc", "ABC", false},
	};
	char long_pattern[257];

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (kh_match_value(V(all[i].pattern), V(all[i].value)) != all[i].want)
			print_error("%s %s\n", all[i].pattern, all[i].value);
		assert_int_equal(kh_match_value(V(all[i].pattern), V(all[i].value)), all[i].want);
	}
	memset(long_pattern, '*', sizeof(long_pattern));
	assert_true(kh_match_value(kh_view_of(long_pattern, 256), V("a b")));
	assert_false(kh_match_value(kh_view_of(long_pattern, 257), V("a b")));
	assert_true(kh_match_is_pattern(V("a b,/\xc3\xa4*")));
	assert_false(kh_match_is_pattern(V("")) || kh_match_is_pattern(kh_view_of(long_pattern, 257)));
}

/* The obvious way: a pattern's first piece against every beginning that it may take. */
static bool slow_value(const char *p, const char *v)
{
	if (p[0] == '*') {
		bool wide = p[1] == '*';
		size_t stars = strspn(p, "*");
		for (;; v++) {
			if (slow_value(p + stars, v))
				return true;
			if (*v == '\0' || (!wide && strchr("ab.", *v) == NULL))
				return false;
		}
	}
	if (*p == '\0' || *v == '\0')
		return *p == *v;
	return *p == *v && slow_value(p + 1, v + 1);
}

/* Every pattern of five and value of six over a small alphabet, against the obvious way. */
static void test_value_all(struct kh_test *t)
{
	static const char in_pattern[] = "ab,*", in_value[] = "ab,";

	(void)t;
	for (unsigned i = 0; i < 1024; i++) {
		for (unsigned j = 0; j < 729; j++) {
			char p[6] = "", v[7] = "";
			unsigned x = i, y = j;
			for (size_t k = 0; k < 5; k++, x /= 4)
				p[k] = in_pattern[x % 4];
			for (size_t k = 0; k < 6; k++, y /= 3)
				v[k] = in_value[y % 3];
			assert_int_equal(kh_match_value(V(p), V(v)), slow_value(p, v));
		}
	}
}

/* E4: a pattern with a port is for that port alone. */
static void test_host_port(struct kh_test *t)
{
	static const struct {
		const char *pattern, *host;
		int port;
		bool want;
	} all[] = {
		{"example.com", "example.com", 443, true},           {"example.com", "example.com", 8443, true},
		{"example.com:443", "example.com", 443, true},       {"example.com:443", "example.com", 8443, false},
		{"*.example.com:8443", "a.example.com", 8443, true}, {"*.example.com:8443", "example.com", 8443, false},
		{"example.com:0", "example.com", 0, false},          {"example.com:", "example.com", 443, false},
	};
	static const char *const bad[] = {"a.com:",    "a.com:0", "a.com:080", "a.com:65536", "a.com:x",
					  "a.com:1:2", ":1",      "*:443",     "a:-1"};

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(kh_match_host_port(V(all[i].pattern), V(all[i].host), all[i].port), all[i].want);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(kh_match_is_host_port(V(bad[i])));
	assert_true(kh_match_is_host_port(V("a.com")) && kh_match_is_host_port(V("a.com:65535")) &&
		    kh_match_is_host_port(V("*.a.com:1")));
}

/* I8: where secrets stand. */
static void test_names(struct kh_test *t)
{
	(void)t;
	assert_true(kh_match_is_key_file(V("a.key")) && kh_match_is_key_file(V("/etc/a.key")));
	assert_false(kh_match_is_key_file(V("")) || kh_match_is_key_file(V(".key")) || kh_match_is_key_file(V("a/b")) ||
		     kh_match_is_key_file(V("../a")) || kh_match_is_key_file(V("/a/../b")));
	assert_true(kh_match_is_variable(V("A_1")) && kh_match_is_variable(V("_")));
	assert_false(kh_match_is_variable(V("")) || kh_match_is_variable(V("1A")) || kh_match_is_variable(V("a-b")) ||
		     kh_match_is_variable(V("a.b")));
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

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_glob),      KH_TEST_ONCE(test_host),      KH_TEST_ONCE(test_path), KH_TEST_ONCE(test_value),
	KH_TEST_ONCE(test_value_all), KH_TEST_ONCE(test_host_port), KH_TEST_ONCE(test_names)};
KH_TEST_MAIN(cases)
