#include "core/comm/results.h"
#include "harness.h"

static struct kh_results split(struct kh_test *t, const char *operation, const char *content)
{
	struct kh_attribution a = {.operation = kh_view_str(operation),
				   .session_id = KH_LIT("s1"),
				   .source = KH_LIT("search:web"),
				   .timestamp = 1000000};
	struct kh_results results = {.n = 99};

	must(t, kh_attribution_make(&t->arena, &a, kh_view_str(content), &t->err));
	must(t, kh_results_split(&t->arena, &a, kh_view_str(content), &results));
	return results;
}

/* E10: each result has a source of its own. */
static void test_split(struct kh_test *t)
{
	struct kh_results r = split(t, "comm.search",
				    "{\"results\":[{\"url\":\"https://a.example/x\",\"title\":\"A\"},"
				    "{\"path\":\"/srv/docs/b.txt\"},{\"database\":\"shop\",\"table\":\"orders\"},"
				    "{\"title\":\"nowhere\"},{\"url\":\"https://a\\u202e.example/\"}]}");

	assert_int_equal(r.n, 5);
	assert_view(r.at[0].attribution.source, "https://a.example/x");
	assert_view(r.at[0].content, "{\"url\":\"https://a.example/x\",\"title\":\"A\"}");
	assert_view(r.at[1].attribution.source, "/srv/docs/b.txt");
	assert_view(r.at[2].attribution.source, "shop.orders");
	/* What says nothing of where it stands, or nothing that can be shown, is the search's. */
	assert_view(r.at[3].attribution.source, "search:web");
	assert_view(r.at[4].attribution.source, "search:web");
	assert_int_equal(r.at[0].attribution.timestamp, 1000000);
}

/* Whatever else content is, it is one source. */
static void test_not_results(struct kh_test *t)
{
	static const char *const all[] = {
		"", "text", "[]", "{}", "{\"results\":[]}", "{\"results\":{}}", "{\"results\":[{}],\"more\":1}"};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(split(t, "comm.search", all[i]).n, 0);
	assert_int_equal(split(t, "comm.fetch", "{\"results\":[{\"url\":\"https://a.example/x\"}]}").n, 0);
}

static const struct kh_test_case cases[] = {KH_TEST(test_split), KH_TEST(test_not_results)};
KH_TEST_MAIN(cases)
