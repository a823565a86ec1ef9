#include "core/policy/quota.h"
#include "harness.h"

/* B9: 0, N (an hour), N/second|minute|hour, and nothing else. */
static void test_parse(struct kh_test *t)
{
	static const struct {
		const char *text;
		int64_t period;
		uint32_t count;
	} good[] = {
		{"0", KH_QUOTA_HOUR, 0},
		{"7", KH_QUOTA_HOUR, 7},
		{"10/minute", KH_QUOTA_MINUTE, 10},
		{"3/second", KH_QUOTA_SECOND, 3},
		{"1000000/hour", KH_QUOTA_HOUR, 1000000},
	};
	static const char *const bad[] = {"",
					  "-1",
					  "-0",
					  "+1",
					  " 1",
					  "1 ",
					  "01",
					  "1.0",
					  "1e3",
					  "0x10",
					  "1000001",
					  "99999999999999999999",
					  "1/",
					  "/minute",
					  "1/minutes",
					  "1/Minute",
					  "1/minute/",
					  "1//minute",
					  "1/minute/hour",
					  "1/day",
					  "unlimited",
					  "1 /minute"};
	struct kh_rate rate;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(kh_quota_parse(kh_view_str(good[i].text), &rate));
		assert_int_equal(rate.period, good[i].period);
		assert_int_equal(rate.count, good[i].count);
		struct kh_view text = kh_quota_text(&t->arena, rate);
		struct kh_rate again;
		must(t, kh_arena_check(&t->arena));
		assert_true(kh_quota_parse(text, &again));
		assert_int_equal(again.count, rate.count);
		assert_int_equal(again.period, rate.period);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(kh_quota_parse(kh_view_str(bad[i]), &rate));
	assert_false(kh_quota_parse((struct kh_view){NULL, 0}, &rate));
}

#define CALLS 3000

/* E5: however the calls come, no stretch as long as the period holds more than N of them. */
static void test_never_more(struct kh_test *t)
{
	struct kh_rate rate = {KH_QUOTA_MINUTE, 10};
	struct kh_quota quota = {0};
	static int64_t taken[CALLS];
	size_t n = 0;
	uint32_t seed = 1;
	int64_t now = INT64_C(1763173000000000), wait = 0;

	(void)t;
	for (size_t i = 0; i < 20000 && n < CALLS; i++) {
		seed = seed * 1103515245U + 12345U;
		/* Bursts, with a pause of up to 80 seconds now and then. */
		now += (seed >> 16) % 8 ? (seed >> 20) % 1000 : (int64_t)(seed >> 8) % 80 * KH_QUOTA_SECOND;
		if (!kh_quota_admits(&quota, rate, now, &wait))
			continue;
		kh_quota_take(&quota, rate, now);
		taken[n++] = now;
		assert_true(n <= 10 || taken[n - 1] - taken[n - 11] > KH_QUOTA_MINUTE);
	}
	assert_true(n > 1000); /* and calls do get through */
}

/* E5: 10 a minute means that 10 get through at once, and the wait that is told is the wait. */
static void test_wait(struct kh_test *t)
{
	struct kh_rate rate = {KH_QUOTA_MINUTE, 10};
	struct kh_quota quota = {0};
	int64_t now = INT64_C(1763173000123456), wait = 0;

	(void)t;
	for (unsigned i = 0; i < 10; i++) {
		assert_true(kh_quota_admits(&quota, rate, now, &wait));
		kh_quota_take(&quota, rate, now);
	}
	assert_false(kh_quota_admits(&quota, rate, now, &wait));
	assert_true(wait > KH_QUOTA_MINUTE && wait <= KH_QUOTA_MINUTE + KH_QUOTA_MINUTE / KH_QUOTA_PARTS);
	assert_false(kh_quota_admits(&quota, rate, now + wait - 1, &(int64_t){0}));
	assert_true(kh_quota_admits(&quota, rate, now + wait, &wait));
	assert_int_equal(kh_quota_used(&quota, rate, now), 10);
	/* Time that goes backwards, and a clock that was never set, give nothing. */
	assert_false(kh_quota_admits(&quota, rate, now - KH_QUOTA_HOUR, &wait));
	assert_false(kh_quota_admits(&quota, rate, 0, &wait));
	assert_false(kh_quota_admits(&quota, rate, INT64_MIN, &wait));
	kh_quota_take(&quota, rate, INT64_MIN);
	assert_int_equal(kh_quota_used(&quota, rate, now), 11);
}

static void test_edges(struct kh_test *t)
{
	struct kh_quota quota = {0};
	struct kh_rate none = {0, 0}, zero = {KH_QUOTA_HOUR, 0}, hour = {KH_QUOTA_HOUR, 5},
		       second = {KH_QUOTA_SECOND, 5};
	int64_t wait = 0;

	(void)t;
	assert_true(kh_quota_admits(&quota, none, 1, &wait));
	assert_false(kh_quota_admits(&quota, zero, 1, &wait)); /* B9: 0 is denied */
	assert_int_equal(wait, KH_QUOTA_HOUR);
	/* A change of the policy does not forget what was used. */
	for (unsigned i = 0; i < 5; i++)
		kh_quota_take(&quota, second, 1000000000);
	assert_false(kh_quota_admits(&quota, hour, 1000000001, &wait));
	/* A state from a broken store: any numbers, no overflow (UBSan watches). */
	struct kh_quota broken = {.period = KH_QUOTA_SECOND, .part = INT64_MIN};
	memset(broken.used, 0xff, sizeof(broken.used));
	kh_quota_take(&broken, second, INT64_MAX);
	broken.part = INT64_MAX;
	assert_true(kh_quota_admits(&broken, second, 5, &wait));
	memset(broken.used, 0xff, sizeof(broken.used));
	assert_false(kh_quota_admits(&broken, second, 5, &wait));
	assert_true(wait > 0);
	kh_quota_take(&broken, second, 5);
	/* The stricter of two. */
	assert_int_equal(kh_quota_stricter(hour, second).period, KH_QUOTA_HOUR);
	assert_int_equal(kh_quota_stricter(none, second).period, KH_QUOTA_SECOND);
	assert_int_equal(kh_quota_stricter(second, zero).count, 0);
}

/* E5: quotas, and the warning at 80 %. */
static void test_quota(struct kh_test *t)
{
	(void)t;
	assert_true(kh_quota_fits(10, 90, 100));
	assert_false(kh_quota_fits(10, 91, 100));
	assert_false(kh_quota_fits(UINT64_MAX, 1, UINT64_MAX));
	assert_false(kh_quota_warns(79, 100, 80));
	assert_true(kh_quota_warns(80, 100, 80));
	assert_true(kh_quota_warns(UINT64_MAX, UINT64_MAX, 100));
}

static const struct kh_test_case cases[] = {KH_TEST(test_parse), KH_TEST_ONCE(test_never_more), KH_TEST_ONCE(test_wait),
					    KH_TEST_ONCE(test_edges), KH_TEST_ONCE(test_quota)};
KH_TEST_MAIN(cases)
