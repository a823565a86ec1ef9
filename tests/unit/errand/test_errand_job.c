/* E7: a worker's job, or a program, from request to end, over an executor that may be gone. */
#include "executor.h"

#include "errand/job.h"

static struct kh_view fetched(const struct kh_message *message, unsigned *ret_status, enum kh_fault *ret_fault)
{
	(void)message;
	(void)ret_status;
	*ret_fault = KH_FAULT_CONNECT;
	return KH_LIT("");
}

static void test_jobs(struct kh_test *t)
{
	struct kh_errand_job work = {.run.profile = KH_PROFILE_TEXT,
				     .job = KH_LIT("{\"type\":\"\",\"html\":false,\"most\":100}"),
				     .bytes = kh_tainted_wrap(KH_LIT("a\r\nb")),
				     .most = 100};
	struct kh_errand_job_result done;

	must(t, kh_errand_job_run(executor_client(t), &work, &t->arena, &done));
	assert_int_equal(done.end, KH_ERRAND_JOB_DONE);
	assert_view(kh_tainted_open(done.output), "a\nb");
	assert_false(kh_errand_job_said(&done, ""));
	work.most = 2; /* more than it may say */
	must(t, kh_errand_job_run(executor_client(t), &work, &t->arena, &done));
	assert_int_equal(done.end, KH_ERRAND_JOB_BROKEN);
	assert_int_equal(done.fault, KH_FAULT_OUTPUT);
	work.job = KH_LIT("{}");
	must(t, kh_errand_job_run(executor_client(t), &work, &t->arena, &done));
	assert_int_equal(done.end, KH_ERRAND_JOB_REFUSED);
	assert_true(kh_errand_job_said(&done, "job_refused"));
	assert_false(kh_errand_job_said(&done, "too_large"));
	assert_true(done.why.n > 0);
}

static void test_programs(struct kh_test *t)
{
	struct kh_errand_job work = {
		.run = {.profile = KH_PROFILE_RUN,
			.argv = {KH_LIT("/bin/sh"), KH_LIT("-c"), KH_LIT("cat; echo no >&2; exit 3")},
			.argc = 3},
		.bytes = kh_tainted_wrap(KH_LIT("in")),
		.most = 100};
	struct kh_errand_job_result done;

	must(t, kh_errand_job_run(executor_client(t), &work, &t->arena, &done));
	assert_int_equal(done.end, KH_ERRAND_JOB_DONE);
	assert_int_equal(WEXITSTATUS(done.status), 3);
	assert_view(kh_tainted_open(done.output), "in");
	assert_view(kh_tainted_open(done.errors), "no\n");
	work.run.argv[0] = KH_LIT("/nonexistent");
	must(t, kh_errand_job_run(executor_client(t), &work, &t->arena, &done));
	assert_int_equal(done.end, KH_ERRAND_JOB_BROKEN);
	assert_int_equal(done.fault, KH_FAULT_PROGRAM);
}

/* No executor, or what it cannot be asked: an end like any other. */
static void test_nobody(struct kh_test *t)
{
	struct kh_client gone = {.control = -1, .pid = -1};
	struct kh_errand_job work = {.run.profile = KH_PROFILE_READ, .job = KH_LIT("{}"), .most = 100};
	struct kh_errand_job_result done;

	must(t, kh_errand_job_run(&gone, &work, &t->arena, &done));
	assert_int_equal(done.end, KH_ERRAND_JOB_BROKEN);
	assert_int_equal(done.fault, KH_FAULT_ABSENT);
	work.run.reads = KH_REQUEST_PATHS + 1;
	must(t, kh_errand_job_run(&gone, &work, &t->arena, &done));
	assert_int_equal(done.fault, KH_FAULT_REQUEST);
	work.run.reads = 0;
	work.run.profile = KH_PROFILE_RUN; /* and no program */
	must(t, kh_errand_job_run(&gone, &work, &t->arena, &done));
	assert_int_equal(done.end, KH_ERRAND_JOB_BROKEN);
	assert_int_equal(done.fault, KH_FAULT_REQUEST);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_jobs),
	KH_TEST_ONCE(test_programs),
	KH_TEST(test_nobody),
};

EXECUTOR_TEST_MAIN(cases)
