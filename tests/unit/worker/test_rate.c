/* U3: how fast messages may come. */
#include "worker/rate.h"

#include "harness.h"

static void test_rate(struct kh_test *t)
{
	struct kh_worker_rate rate;

	(void)t;
	kh_worker_rate_init(&rate, 10);
	/* A second's worth may come at once, after a second in which nothing came. */
	assert_int_equal(kh_worker_rate_take(&rate, 10, 50000000), 0);
	assert_int_equal(kh_worker_rate_take(&rate, 1, 50000000), 100000);
	assert_int_equal(kh_worker_rate_left(&rate, 50000000), 100000);
	assert_int_equal(kh_worker_rate_left(&rate, 50050000), 50000);
	assert_int_equal(kh_worker_rate_left(&rate, 50100000), 0);
	assert_int_equal(kh_worker_rate_take(&rate, 5, 50100000), 500000);
	/* What was not used longer ago does not count. */
	assert_int_equal(kh_worker_rate_take(&rate, 11, 900000000), 100000);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_rate)};
KH_TEST_MAIN(cases)
