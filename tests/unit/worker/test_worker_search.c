/* E9: the search worker's jobs and what comes out of them. */
#include "searching.h"

#include "worker/search/search.h"

static enum kh_err carry(struct kh_test *t, struct kh_view text, struct kh_view bytes, struct kh_view *ret_out)
{
	struct kh_worker_job job = {.bytes = bytes, .connection = -1, .out = -1, .arena = &t->arena};

	must(t, kh_json_read(&t->arena, text, &job.root, &t->err));
	return kh_worker_search_do(&job, &t->alloc, ret_out, &t->err);
}

static const char *done(struct kh_test *t, struct kh_view job, struct kh_view bytes)
{
	struct kh_view out;

	must(t, carry(t, job, bytes, &out));
	out = kh_arena_printf(&t->arena, "%.*s", KH_FMT(out));
	must(t, kh_arena_check(&t->arena));
	return out.p;
}

static void test_index_and_find(struct kh_test *t)
{
	searching_new();
	searching_put("a.txt", "Harbour dues\nThe dues of small boats.");
	struct kh_view job = kh_arena_printf(
		&t->arena,
		"{\"job\":\"index\",\"index\":\"%s\",\"folder\":\"%s\",\"folders\":[\"%s\"],"
		"\"ms\":10000}",
		searching_index, searching_docs, searching_docs);
	must(t, kh_arena_check(&t->arena));
	const char *report = done(t, job, KH_LIT(""));
	assert_non_null(strstr(
		report,
		"{\"busy\":false,\"fresh\":false,\"finished\":true,\"missing\":false,\"indexed\":1,\"removed\":0,"
		"\"skipped\":0,\"unchanged\":0,\"unread\":0,\"current_ms\":"));
	job = kh_arena_printf(
		&t->arena,
		"{\"job\":\"find\",\"index\":\"%s\",\"folders\":[\"%s\"],\"within\":[],\"query\":\"boats\","
		"\"limit\":5,\"ms\":10000}",
		searching_index, searching_docs);
	must(t, kh_arena_check(&t->arena));
	const char *found = done(t, job, KH_LIT("")), *line = strchr(found, '\n');
	assert_non_null(
		strstr(found, "{\"matched\":\"all\",\"cut\":false,\"more\":false,\"left_out\":0,\"current_ms\":"));
	struct kh_view want = kh_arena_printf(&t->arena,
					      "{\"results\":[{\"path\":\"%s/a.txt\",\"title\":\"Harbour "
					      "dues\",\"snippet\":\"Harbour dues\\nThe dues of "
					      "small boats.\",\"rank\":1}]}\n",
					      searching_docs);
	must(t, kh_arena_check(&t->arena));
	assert_string_equal(line + 1, want.p);
}

static void test_web(struct kh_test *t)
{
	assert_string_equal(done(t, KH_LIT("{\"job\":\"web\",\"limit\":5}"),
				 KH_LIT("{\"results\":[{\"url\":\"https://a.example/\",\"title\":\"A\"}]}")),
			    "{\"count\":1}\n{\"results\":[{\"title\":\"A\",\"url\":\"https://a.example/"
			    "\",\"snippet\":\"\",\"rank\":1}]}\n");
}

static void test_bad_jobs(struct kh_test *t)
{
	static const char *const jobs[] = {
		"[]",
		"{}",
		"{\"job\":\"dance\"}",
		"{\"job\":\"web\"}",
		"{\"job\":\"web\",\"limit\":0}",
		"{\"job\":\"web\",\"limit\":101}",
		"{\"job\":\"find\",\"index\":\"/x\",\"limit\":5}",
		"{\"job\":\"find\",\"index\":\"/x\\u0000y\",\"query\":\"a\",\"limit\":5}",
		"{\"job\":\"find\",\"index\":\"/x\",\"query\":\"a\",\"limit\":5,\"folders\":[\"docs\"]}",
		"{\"job\":\"find\",\"index\":\"/x\",\"query\":\"a\",\"limit\":5,\"folders\":[7]}",
		"{\"job\":\"index\",\"index\":\"/x\",\"folder\":\"/y\"}",
		"{\"job\":\"index\",\"folder\":\"/y\",\"folders\":[\"/y\"]}",
		"{\"job\":\"index\",\"index\":\"/x\",\"folders\":[\"/y\"]}",
	};
	struct kh_view out;

	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		must_fail(t, KH_EINPUT, carry(t, kh_view_str(jobs[i]), KH_LIT("{}"), &out));
		assert_string_equal(t->err.code, "job_refused");
	}
}

static void test_no_index(struct kh_test *t)
{
	struct kh_view out;

	searching_new();
	struct kh_view job = kh_arena_printf(
		&t->arena, "{\"job\":\"find\",\"index\":\"%s\",\"query\":\"a\",\"limit\":5}", searching_index);
	must(t, kh_arena_check(&t->arena));
	must_fail(t, KH_EREFUSED, carry(t, job, KH_LIT(""), &out));
	assert_string_equal(t->err.code, "index_missing");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_index_and_find),
	KH_TEST(test_web),
	KH_TEST(test_bad_jobs),
	KH_TEST_ONCE(test_no_index),
};

KH_TEST_MAIN(cases)
