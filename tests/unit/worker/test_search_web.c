/* E9: of a search engine's answer come titles, URLs and snippets, and nothing else. */
#include "harness.h"

#include "worker/search/web.h"

static const char *results(struct kh_test *t, struct kh_view body, size_t limit)
{
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *list;
	struct kh_view text;

	must(t, kh_search_web_read(&t->arena, body, limit, doc, &list, &t->err));
	must(t, kh_json_write(&t->arena, list, &text));
	text = kh_arena_printf(&t->arena, "%.*s", KH_FMT(text));
	must(t, kh_arena_check(&t->arena));
	return text.p;
}

static void test_results(struct kh_test *t)
{
	const struct kh_view body = KH_LIT("{\"query\":\"q\",\"number_of_results\":2,\"results\":["
					   "{\"url\":\"https://a.example/\",\"title\":\"A\",\"content\":\"about "
					   "a\",\"engine\":\"e\",\"score\":1.5},"
					   "{\"url\":\"http://b.example/x?y\",\"title\":null,\"content\":7},"
					   "{\"url\":\"https://c.example/\",\"title\":\"C\",\"content\":\"about "
					   "c\"}],\"answers\":[],\"unresponsive\":[]}");

	assert_string_equal(results(t, body, 2),
			    "[{\"title\":\"A\",\"url\":\"https://a.example/\",\"snippet\":\"about a\",\"rank\":1},"
			    "{\"title\":\"\",\"url\":\"http://b.example/x?y\",\"snippet\":\"\",\"rank\":2}]");
	assert_string_equal(results(t, KH_LIT("{\"results\":[]}"), 2), "[]");
}

/* What cannot be gone to is no result. */
static void test_other_schemes(struct kh_test *t)
{
	assert_string_equal(results(t,
				    KH_LIT("{\"results\":[{\"url\":\"javascript:alert(1)\",\"title\":\"x\"},"
					   "{\"url\":\"file:///etc/passwd\"},{\"title\":\"no url\"},7,null,[],"
					   "{\"url\":{\"a\":1}}]}"),
				    9),
			    "[]");
}

static void test_bad_answers(struct kh_test *t)
{
	static const char *const bad[] = {
		"",  "<html>403 Forbidden</html>",     "{\"results\":{}}", "[]", "{\"results\":[",
		"7", "{\"results\":[],\"results\":[]}"};
	yyjson_mut_val *list;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		must_fail(
			t, KH_EINPUT,
			kh_search_web_read(&t->arena, kh_view_str(bad[i]), 5, kh_json_new(&t->arena), &list, &t->err));
		assert_string_equal(t->err.code, "bad_answer");
	}
}

/* A text is cut where it is too long, and between characters. */
static void test_long_texts(struct kh_test *t)
{
	struct kh_view body = kh_arena_printf(&t->arena, "{\"results\":[{\"url\":\"https://a.example/\",\"title\":\"a");
	char *text = kh_arena_alloc(&t->arena, body.n + 4000);

	must(t, kh_arena_check(&t->arena));
	memcpy(text, body.p, body.n);
	for (size_t i = 0; i < 2000; i++)
		memcpy(text + body.n + 2 * i, "\xc3\xa9", 2);
	memcpy(text + body.n + 3900, "\"}]}", 4);
	const char *json = results(t, kh_view_of(text, body.n + 3904), 5);
	assert_int_equal(strlen(json),
			 strlen("[{\"title\":\"a\",\"url\":\"https://a.example/\",\"snippet\":\"\",\"rank\":1}]") +
				 KH_SEARCH_WEB_TITLE - 2);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_results),
	KH_TEST(test_other_schemes),
	KH_TEST(test_bad_answers),
	KH_TEST(test_long_texts),
};

KH_TEST_MAIN(cases)
