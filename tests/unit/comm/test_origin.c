/* B19: what an operation is asked for has one spelling. */
#include "core/comm/origin.h"
#include "harness.h"

static struct kh_view origin(struct kh_test *t, const char *operation, const char *parameters)
{
	yyjson_val *root = NULL;
	struct kh_view text = {NULL, 0};

	must(t, kh_json_read(&t->arena, kh_view_str(parameters), &root, &t->err));
	must(t, kh_origin_text(&t->arena, kh_view_str(operation), root, &text, &t->err));
	return text;
}

static bool same(struct kh_test *t, const char *operation, const char *a, const char *b)
{
	return kh_view_eq(origin(t, operation, a), origin(t, operation, b));
}

static void test_spellings(struct kh_test *t)
{
	assert_true(same(t, "comm.fetch", "{\"url\":\"https://example.com/a?x=1\"}",
			 "{\"url\":\"HTTPS://EXAMPLE.com.:443/a?x=1#top\"}"));
	assert_true(same(t, "comm.fetch", "{\"url\":\"https://example.com\"}", "{\"url\":\"https://example.com/\"}"));
	assert_true(same(t, "comm.read", "{\"path\":\"/srv/docs/a.txt\"}", "{\"path\":\"/srv//docs/./a.txt\"}"));
	assert_true(same(t, "comm.query", "{\"database\":\"sales\",\"statement\":\"prices\"}",
			 "{\"statement\":\"prices\",\"database\":\"sales\"}"));
}

/* B19, U3: a resource, however its URI is spelled. */
static void test_uri(struct kh_test *t)
{
	static const struct {
		const char *a, *b;
		bool is_same;
	} pairs[] = {
		{"file:///srv/a.txt", "FILE:///srv//./%61.txt", true},
		{"note://Desk/A", "note://desk/A", true},
		{"note:a", "NOTE:%61", true},
		{"note://desk/A", "note://desk/a", false},
		{"note:a", "note:A", false},
		{"note:a%2fb", "note:a/b", false},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct kh_view a = kh_arena_printf(&t->arena, "{\"server\":\"x\",\"uri\":\"%s\"}", pairs[i].a);
		struct kh_view b = kh_arena_printf(&t->arena, "{\"server\":\"x\",\"uri\":\"%s\"}", pairs[i].b);
		must(t, kh_arena_check(&t->arena));
		assert_int_equal(same(t, "comm.resource", a.p, b.p), pairs[i].is_same);
	}
}

static bool same_url(struct kh_test *t, const char *a, const char *b)
{
	char first[128], second[128];

	snprintf(first, sizeof(first), "{\"url\":\"https://example.com%s\"}", a);
	snprintf(second, sizeof(second), "{\"url\":\"https://example.com%s\"}", b);
	return same(t, "comm.fetch", first, second);
}

/* RFC 3986, 6.2.2: what a server takes as the same address. */
static void test_addresses(struct kh_test *t)
{
	static const char *const pairs[][2] = {
		{"/p", "/./p"},
		{"/p", "/x/../p"},
		{"/p", "/../p"},
		{"/p", "/%70"},
		{"/p", "/p?"},
		{"/p", "/p?#top"},
		{"/p", "/x/%2e%2E/p"},
		{"/", "/p/.."},
		{"/a/", "/a/b/.."},
		{"/a/", "/a/."},
		{"", "?"},
		{"/a~b?q=c", "/a%7Eb?q=%63"},
		{"/a%2Fb", "/a%2fb"},
		{"/a%C3%A9", "/a%c3%a9"},
	};
	static const char *const others[][2] = {
		{"/p", "/p/"},          {"/a/b", "/a%2Fb"},      {"/p", "/p?q"},    {"/p?q=1", "/p?q=2"},
		{"/p?a=b", "/p?a%3Db"}, {"/p?q=../x", "/p?q=x"}, {"/a//b", "/a/b"}, {"/a%25b", "/a%b"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_true(same_url(t, pairs[i][0], pairs[i][1]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(same_url(t, others[i][0], others[i][1]));
}

/* What asks for nothing makes no difference, and neither do the blanks and the case of words. */
static void test_parameters(struct kh_test *t)
{
	assert_true(same(t, "comm.exec", "{\"command\":\"when\"}", "{\"args\":[],\"command\":\"when\"}"));
	assert_true(same(t, "comm.query", "{\"database\":\"d\",\"statement\":\"s\",\"params\":{}}",
			 "{\"database\":\"d\",\"statement\":\"s\",\"params\":[]}"));
	assert_true(same(t, "comm.query", "{\"database\":\"d\",\"statement\":\"SELECT  a FROM b\"}",
			 "{\"database\":\"d\",\"statement\":\"select a from b \"}"));
	assert_true(same(t, "comm.search", "{\"query\":\"Quarterly  meeting\",\"limit\":10}",
			 "{\"query\":\" quarterly meet\u200bing\"}"));
	assert_false(same(t, "comm.search", "{\"query\":\"a b\"}", "{\"query\":\"ab\"}"));
	assert_false(same(t, "comm.exec", "{\"command\":\"when\",\"args\":[\"\"]}", "{\"command\":\"when\"}"));
}

static bool same_text(struct kh_test *t, const char *a, const char *b)
{
	struct kh_digest first, second;

	must(t, kh_origin_normal(&t->arena, kh_view_str(a), &first));
	must(t, kh_origin_normal(&t->arena, kh_view_str(b), &second));
	return memcmp(&first, &second, sizeof(first)) == 0;
}

static void test_texts(struct kh_test *t)
{
	assert_true(same_text(t, "The mail, of Bob.", " the MAIL of  B\u200bob\n"));
	assert_true(same_text(t, "", ""));
	assert_false(same_text(t, "The mail of Bob", "The mail of Rob"));
	assert_false(same_text(t, "on 2026-03-15", "on 2026-03-16"));
	assert_false(same_text(t, "!", "?"));
	assert_false(same_text(t, "", "."));
}

static void test_differences(struct kh_test *t)
{
	assert_false(
		same(t, "comm.fetch", "{\"url\":\"https://example.com/a\"}", "{\"url\":\"https://example.com/A\"}"));
	assert_false(same(t, "comm.fetch", "{\"url\":\"https://example.com/a\"}",
			  "{\"url\":\"https://example.com:444/a\"}"));
	assert_false(same(t, "comm.read", "{\"path\":\"/srv/docs\"}", "{\"path\":\"srv/docs\"}"));
	assert_false(same(t, "comm.query", "{\"database\":\"sales\",\"statement\":\"a\",\"params\":[1]}",
			  "{\"database\":\"sales\",\"statement\":\"a\",\"params\":[\"1\"]}"));
	assert_false(kh_view_eq(origin(t, "comm.search", "{\"query\":\"a b\"}"),
				origin(t, "comm.mcp.x.y", "{\"query\":\"a b\"}")));
}

/* An operation without a row, and what is no URL, are taken as they are. */
static void test_unknown(struct kh_test *t)
{
	assert_true(same(t, "comm.mcp.mail.read", "{\"id\":7,\"box\":\"in\"}", "{\"box\":\"in\",\"id\":7}"));
	assert_false(same(t, "comm.fetch", "{\"url\":\"nonsense\"}", "{\"url\":\"Nonsense\"}"));
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_uri),   KH_TEST(test_spellings),   KH_TEST(test_addresses), KH_TEST(test_parameters),
	KH_TEST(test_texts), KH_TEST(test_differences), KH_TEST(test_unknown)};
KH_TEST_MAIN(cases)
