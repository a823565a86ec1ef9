#include "executor/workers.h"

#include "harness.h"

#include <unistd.h>

/* I6: a worker that there is not is said to be none, with the status of a command line that is not usable. */
static void test_unknown(struct kh_test *t)
{
	char said[200] = "";
	int ends[2], kept = dup(2);
	(void)t;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], 2);
	int status = kh_workers_main("nobody");
	dup2(kept, 2);
	assert_int_equal(status, 2);
	assert_true(read(ends[0], said, sizeof(said) - 1) > 0);
	assert_non_null(strstr(said, "executor"));
	close(ends[0]);
	close(ends[1]);
	close(kept);
}

/* Every profile that takes a job says which kind it is; no other does. */
static void test_table(struct kh_test *t)
{
	(void)t;
	for (enum kh_profile i = 0; i < KH_PROFILES; i++) {
		const struct kh_worker_job_kind *found = kh_workers_find(i);
		assert_true(found != NULL || kh_profile_start(i) != KH_PROFILE_IN_PLACE);
		if (found == NULL)
			continue;
		assert_true(kh_profile_takes_job(i));
		assert_int_equal(found->profile, i);
		/* What reads bytes and writes bytes shares one. */
		assert_string_equal(kh_filter_name(found->filter), i == KH_PROFILE_MCP ? "text" : kh_profile_name(i));
	}
	assert_null(kh_workers_find(KH_PROFILE_RUN));
	assert_null(kh_workers_find(KH_PROFILE_HTTP));
	assert_non_null(kh_workers_find(KH_PROFILE_READ));
}

/* A profile without a worker of a job ends as one that failed. */
static void test_serve_none(struct kh_test *t)
{
	struct kh_filter *const none[KH_FILTERS] = {NULL};
	(void)t;

	assert_int_equal(kh_workers_serve(KH_PROFILE_RUN, none), 1);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_unknown), KH_TEST_ONCE(test_table),
					    KH_TEST_ONCE(test_serve_none)};

KH_TEST_MAIN(cases)
