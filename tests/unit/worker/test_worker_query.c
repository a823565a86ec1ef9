#include "worker/sql/sql.h"

#include "harness.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct kh_view carry(struct kh_test *t, const char *text, enum kh_err *ret_e)
{
	struct kh_worker_job job = {.connection = -1, .arena = &t->arena};
	static char out[4096];
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	job.out = pipes[1];
	*ret_e = kh_json_read(&t->arena, kh_view_str(text), &job.root, &t->err);
	if (*ret_e == KH_OK)
		*ret_e = kh_worker_sql_run(&job, &t->err);
	close(pipes[1]);
	ssize_t n = read(pipes[0], out, sizeof(out));
	close(pipes[0]);
	return kh_view_of(out, (size_t)n);
}

/* E9: a job in, rows out; a job that is none, or that nobody connected, is refused. */
static void test_run(struct kh_test *t)
{
	char path[] = "/tmp/keyhole-query-XXXXXX", text[256];
	sqlite3 *db = NULL;
	enum kh_err e;

	close(mkstemp(path));
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES (7)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	snprintf(text, sizeof(text),
		 "{\"database\":{\"file\":\"%s\"},\"sql\":\"SELECT a FROM t\",\"rows\":1,\"bytes\":100,\"seconds\":9}",
		 path);
	struct kh_view out = carry(t, text, &e);
	unlink(path);
	must(t, e);
	assert_view(out, "{\"columns\":[\"a\"],\"rows\":[[7]],\"truncated\":false}");
	carry(t,
	      "{\"database\":{\"host\":\"h\",\"dbname\":\"d\",\"user\":\"u\"},\"sql\":\"SELECT 1\",\"rows\":1,"
	      "\"bytes\":100,\"seconds\":9}",
	      &e);
	must_fail(t, KH_EINPUT, e);
	assert_string_equal(t->err.code, "job_refused");
	assert_non_null(strstr(t->err.detail, "without a connection"));
}

static const struct kh_test_case cases[] = {KH_TEST(test_run)};
KH_TEST_MAIN(cases)
