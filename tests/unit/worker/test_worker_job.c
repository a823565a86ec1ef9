/* E7, E8: workers that take a job: what they are given, what they say, and that they are confined before they read. */
#include "worker/job.h"

#include "harness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static enum kh_err echo(const struct kh_worker_job *job, struct kh_error *err)
{
	if (kh_json_get(job->root, "refuse") != NULL)
		return kh_error_set(err, KH_EREFUSED, "not_found", "no \"%s\" here", "thing");
	if (kh_json_get(job->root, "empty") != NULL)
		return kh_error_set(err, KH_ENOMEM, NULL, "none");
	struct kh_view say = kh_json_str(kh_json_get(job->root, "say"));
	enum kh_err e = kh_worker_job_write(job, say, err);
	if (e == KH_OK)
		e = kh_worker_job_write(job, job->bytes, err);
	return e == KH_OK ? kh_worker_job_write(job, job->connection >= 0 ? KH_LIT("+") : KH_LIT(""), err) : e;
}

static const struct kh_worker_job_kind kind = {KH_PROFILE_TEXT, KH_FILTER_TEXT, NULL, echo};

static char out_text[4096], err_text[4096];

static void read_out(int fd, char *text)
{
	ssize_t n = read(fd, text, 4095);

	text[n > 0 ? n : 0] = '\0';
	close(fd);
}

/* Carries the job TEXT out; the exit status, and in out_text and err_text what it said. */
static int carry(struct kh_view text, int connection)
{
	int in[2], out[2], errors[2];

	assert_true(pipe(in) == 0 && pipe(out) == 0 && pipe(errors) == 0);
	assert_int_equal(write(in[1], text.p, text.n), text.n);
	close(in[1]);
	int status = kh_worker_job_do(&kind, in[0], out[1], errors[1], connection, -1);
	close(in[0]);
	close(out[1]);
	close(errors[1]);
	read_out(out[0], out_text);
	read_out(errors[0], err_text);
	return status;
}

static void test_carry(struct kh_test *t)
{
	(void)t;
	assert_int_equal(carry(KH_LIT("{\"say\":\"hi\"}"), -1), 0);
	assert_string_equal(out_text, "hi");
	assert_int_equal(carry(KH_LIT("{\"say\":\"hi\"}\nbehind\n{"), 7), 0);
	assert_string_equal(out_text, "hibehind\n{+");
	assert_string_equal(err_text, "");
}

/* A failure is one line of JSON, whatever is in it. */
static void test_refused(struct kh_test *t)
{
	(void)t;
	assert_int_equal(carry(KH_LIT("{\"refuse\":1}"), -1), 1);
	assert_string_equal(err_text, "{\"fault\":\"not_found\",\"detail\":\"no \\\"thing\\\" here\"}\n");
	assert_string_equal(out_text, "");
	assert_int_equal(carry(KH_LIT("{\"empty\":1}"), -1), 1);
	assert_string_equal(err_text, "{\"fault\":\"out_of_memory\",\"detail\":\"none\"}\n");
}

static void test_no_job(struct kh_test *t)
{
	static const char *const bad[] = {"", "\n{}", "[]", "{", "{\"a\":1,\"a\":2}", "\"x\""};

	(void)t;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(carry(kh_view_str(bad[i]), -1), 1);
		assert_non_null(strstr(err_text, "\"fault\":\""));
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_carry),
	KH_TEST_ONCE(test_refused),
	KH_TEST_ONCE(test_no_job),
};

KH_TEST_MAIN(cases)
