#include "core/policy/release.h"
#include "harness.h"

/* B17: slots of 50 ms, 100 ms, 200 ms, ... and the deadline. */
static void test_slots(struct kh_test *t)
{
	static const struct {
		int64_t deadline;
		unsigned slots;
	} all[] = {{INT64_MIN, 1}, {0, 1},      {1, 1},         {50000, 1},     {50001, 2},
		   {100000, 2},    {100001, 3}, {30000000, 11}, {INT64_MAX, 49}};

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(kh_release_slots(all[i].deadline), all[i].slots);
}

/* B17: whatever the time it took, a Controller sees one of so many times. */
static void test_at(struct kh_test *t)
{
	int64_t seen[16], deadline = 1000000;
	size_t n = 0;

	(void)t;
	for (int64_t ready = 0; ready <= deadline + 100; ready += 100) {
		int64_t at = kh_release_at(ready, deadline);
		assert_true(at <= deadline && (at >= ready || ready > deadline));
		if (n == 0 || seen[n - 1] != at) {
			assert_true(n < 16);
			seen[n++] = at;
		}
	}
	assert_int_equal(n, kh_release_slots(deadline));
	assert_int_equal(kh_release_at(0, deadline), 50000);
	assert_int_equal(kh_release_at(50001, deadline), 100000);
	assert_int_equal(kh_release_at(999999, deadline), deadline);
	assert_int_equal(kh_release_at(INT64_MAX, INT64_MAX), INT64_MAX);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_slots), KH_TEST_ONCE(test_at)};
KH_TEST_MAIN(cases)
