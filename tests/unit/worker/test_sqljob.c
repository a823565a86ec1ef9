#include "worker/sql/sql.h"

#include "harness.h"

#include <unistd.h>

static enum kh_err read_job(struct kh_test *t, const char *text, struct kh_sqljob *ret_job)
{
	yyjson_val *root;

	must(t, kh_json_read(&t->arena, kh_view_str(text), &root, &t->err));
	return kh_sqljob_read(&t->arena, root, ret_job, &t->err);
}

static void test_reads(struct kh_test *t)
{
	struct kh_sqljob job;

	must(t,
	     read_job(t,
		      "{\"database\":{\"file\":\"/a.db\"},\"sql\":\"SELECT 1\",\"rows\":1,\"bytes\":2,\"seconds\":3}",
		      &job));
	assert_view(job.file, "/a.db");
	assert_null(job.params);
	assert_int_equal(job.rows + job.bytes + job.seconds, 6);
	must(t,
	     read_job(
		     t,
		     "{\"database\":{\"host\":\"h\",\"dbname\":\"d\",\"user\":\"u\",\"password\":\"p\",\"plain\":true},"
		     "\"sql\":\"SELECT 1\",\"params\":{\"a\":1},\"rows\":1,\"bytes\":2,\"seconds\":3}",
		     &job));
	assert_view(job.host, "h");
	assert_int_equal(job.port, 5432);
	assert_true(job.plain);
	assert_int_equal(yyjson_obj_size(job.params), 1);
}

#define REST "\"sql\":\"SELECT 1\",\"rows\":1,\"bytes\":1,\"seconds\":1}"

/* E9: a job that is not one is refused with what is wrong. */
static void test_refuses(struct kh_test *t)
{
	static const struct {
		const char *job, *says;
	} bad[] = {
		{"[]", "one JSON object"},
		{"{" REST, "expected an object"},
		{"{\"database\":{}," REST, "host"},
		{"{\"database\":{\"file\":\"a.db\"}," REST, "absolute path"},
		{"{\"database\":{\"file\":\"/a\\u0000b\"}," REST, "NUL"},
		{"{\"database\":{\"file\":\"/a\",\"host\":\"h\"}," REST, "a file alone"},
		{"{\"database\":{\"file\":\"/a\",\"else\":1}," REST, "else"},
		{"{\"database\":{\"host\":\"h\",\"dbname\":\"\",\"user\":\"u\"}," REST, "empty"},
		{"{\"database\":{\"host\":\"h\",\"dbname\":\"d\",\"user\":\"u\",\"port\":0}," REST, "port"},
		{"{\"database\":{\"host\":\"h\",\"dbname\":\"d\",\"user\":\"u\",\"plain\":1}," REST, "plain"},
		{"{\"database\":{\"host\":\"h\",\"dbname\":\"d\",\"user\":\"u\",\"authority\":\"ca\"}," REST,
		 "absolute"},
		{"{\"database\":{\"file\":\"/a\"},\"params\":1," REST, "params"},
		{"{\"database\":{\"file\":\"/a\"},\"params\":[[]]," REST, "params"},
		{"{\"database\":{\"file\":\"/a\"},\"params\":{\"a\":{}}," REST, "params"},
		{"{\"database\":{\"file\":\"/a\"},\"x\":1," REST, "x"},
		{"{\"database\":{\"file\":\"/a\"},\"sql\":\"S\",\"rows\":0,\"bytes\":1,\"seconds\":1}", "rows"},
		{"{\"database\":{\"file\":\"/a\"},\"sql\":\"S\",\"rows\":1,\"bytes\":99999999,\"seconds\":1}", "bytes"},
		{"{\"database\":{\"file\":\"/a\"},\"sql\":\"S\",\"rows\":1,\"bytes\":1}", "seconds"},
	};
	struct kh_sqljob job;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		must_fail(t, KH_EINPUT, read_job(t, bad[i].job, &job));
		assert_string_equal(t->err.code, "job_refused");
		if (strstr(t->err.detail, bad[i].says) == NULL)
			fail_msg("%s: %s", bad[i].job, t->err.detail);
	}
}

static void test_value(struct kh_test *t)
{
	yyjson_val *root;

	must(t, kh_json_read(&t->arena, KH_LIT("[\"a\",true,false,null,12,-1.5]"), &root, &t->err));
	struct kh_view got[6];
	for (size_t i = 0; i < 6; i++)
		got[i] = kh_sqljob_value(&t->arena, yyjson_arr_get(root, i));
	must(t, kh_arena_check(&t->arena));
	assert_view(got[0], "a");
	assert_view(got[1], "true");
	assert_view(got[2], "false");
	assert_null(got[3].p);
	assert_view(got[4], "12");
	assert_view(got[5], "-1.5");
}

/* E9: a statement that is refused reaches no database, and the socket is closed. */
static void test_refused_first(struct kh_test *t)
{
	struct kh_sqljob job = {
		.host = KH_LIT("h"), .sql = KH_LIT("DROP TABLE t"), .rows = 1, .bytes = 1, .seconds = 1};
	struct kh_view json;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	enum kh_err e = kh_worker_sql_ask(&t->arena, &job, fds[0], &json, &t->err);
	close(fds[1]);
	assert_int_equal(close(fds[0]), -1);
	must_fail(t, KH_EREFUSED, e);
	assert_string_equal(t->err.code, "statement_refused");
}

static const struct kh_test_case cases[] = {KH_TEST(test_reads), KH_TEST(test_refuses), KH_TEST(test_value),
					    KH_TEST(test_refused_first)};
KH_TEST_MAIN(cases)
