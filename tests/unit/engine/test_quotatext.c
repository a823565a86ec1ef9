/* The state of a rate as text (B9). */
#include "engine/state/quotatext.h"

#include "harness.h"

static void test_a_rate_survives_the_store(struct kh_test *t)
{
	struct kh_rate rate = {.period = KH_QUOTA_MINUTE, .count = 3};
	int64_t now = INT64_C(1780000000000000), wait = 0;
	struct kh_quota quota = {0}, back;

	for (int i = 0; i < 3; i++) {
		assert_true(kh_quota_admits(&quota, rate, now, &wait));
		kh_quota_take(&quota, rate, now);
		struct kh_view text = kh_quotatext_write(&t->arena, &quota);
		must(t, kh_arena_check(&t->arena));
		assert_true(kh_quotatext_read(text, &back));
		assert_memory_equal(&back, &quota, sizeof(quota));
		quota = back;
	}
	assert_false(kh_quota_admits(&quota, rate, now, &wait));
}

static void test_nothing_used_is_an_empty_text(struct kh_test *t)
{
	struct kh_quota quota, none = {0};

	(void)t;
	assert_true(kh_quotatext_read(KH_LIT(""), &quota));
	assert_memory_equal(&quota, &none, sizeof(quota));
}

static void test_anything_else_is_refused(struct kh_test *t)
{
	static const char *const bad[] = {"1",
					  "1 2 3",
					  "1 2 3 4 5 6 7 8 9 10 11 12",
					  "1 2 3 4 5 6 7 8 9 10 -1",
					  "1 2 3 4 5 6 7 8 9 10 4294967296",
					  "1 2 3 4 5 6 7 8 9 10 x",
					  " "};
	struct kh_quota quota;

	(void)t;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(kh_quotatext_read(kh_view_str(bad[i]), &quota));
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_a_rate_survives_the_store),
	KH_TEST(test_nothing_used_is_an_empty_text),
	KH_TEST(test_anything_else_is_refused),
};
KH_TEST_MAIN(cases)
