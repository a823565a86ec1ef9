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

static const struct kh_test_case cases[] = {KH_TEST(test_spellings), KH_TEST(test_differences), KH_TEST(test_unknown)};
KH_TEST_MAIN(cases)
