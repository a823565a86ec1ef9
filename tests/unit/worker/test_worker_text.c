/* E9: the worker that makes text: bytes of any charset in, UTF-8 out. */
#include "worker/text/text.h"

#include "harness.h"

#include <unistd.h>

static enum kh_err run(struct kh_test *t, const char *text, struct kh_view bytes, char *ret_out)
{
	struct kh_worker_job job = {.connection = -1, .arena = &t->arena, .bytes = bytes};
	int out[2];

	must(t, kh_json_read(&t->arena, kh_view_str(text), &job.root, NULL));
	assert_int_equal(pipe(out), 0);
	job.out = out[1];
	enum kh_err e = kh_worker_text_run(&job, &t->err);
	close(out[1]);
	ssize_t n = read(out[0], ret_out, 999);
	close(out[0]);
	ret_out[n > 0 ? n : 0] = '\0';
	return e;
}

static void test_run(struct kh_test *t)
{
	char out[1000];

	must(t, kh_worker_text_load(false, &t->err));
	must(t,
	     run(t, "{\"type\":\"text/html; charset=latin1\",\"html\":true,\"most\":100}", KH_LIT("<p>caf\xe9"), out));
	assert_string_equal(out, "caf\xc3\xa9");
	must(t, run(t, "{\"type\":\"\",\"html\":false,\"most\":100}", KH_LIT("<p>\r\nx\x07\xff"), out));
	assert_string_equal(out, "<p>\nx\xef\xbf\xbd");
	must(t, run(t, "{\"type\":\"\",\"html\":false,\"most\":0}", KH_LIT(""), out));
	assert_string_equal(out, "");
	must_fail(t, KH_ELIMIT, run(t, "{\"type\":\"\",\"html\":false,\"most\":2}", KH_LIT("abc"), out));
	assert_string_equal(t->err.code, "too_large");
	assert_string_equal(out, "");
}

static void test_no_job(struct kh_test *t)
{
	static const char *const bad[] = {"{}", "{\"type\":\"\",\"html\":1,\"most\":2}",
					  "{\"type\":\"\",\"html\":true}", "{\"html\":true,\"most\":2}",
					  "{\"type\":\"\",\"html\":true,\"most\":-2}"};
	char out[1000];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		must_fail(t, KH_EINPUT, run(t, bad[i], KH_LIT("x"), out));
		assert_string_equal(t->err.code, "job_refused");
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_run),
	KH_TEST_ONCE(test_no_job),
};

KH_TEST_MAIN(cases)
