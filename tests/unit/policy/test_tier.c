#include "core/policy/tier.h"
#include "harness.h"

/* E5, COMPAT.md section 3: the limits of the tiers. */
static void test_limits(struct kh_test *t)
{
	static const struct {
		uint32_t calls, concurrent, seconds;
		enum kh_effect effects;
	} want[] = {{1000, 20, 600, KH_EFFECT_PAYMENT},
		    {100, 10, 300, KH_EFFECT_PAYMENT},
		    {20, 5, 120, KH_EFFECT_CHANGE},
		    {10, 2, 60, KH_EFFECT_NONE}};

	(void)t;
	for (unsigned i = 0; i < 4; i++) {
		const struct kh_tier_limits *limits = kh_tier_limits(i);
		assert_int_equal(limits->rate.count, want[i].calls);
		assert_int_equal(limits->rate.period, KH_QUOTA_MINUTE);
		assert_int_equal(limits->concurrent, want[i].concurrent);
		assert_int_equal(limits->seconds, want[i].seconds);
		assert_int_equal(limits->effects, want[i].effects);
	}
}

/* E5: an admin's agreement: no, no, if there are side effects, always. */
static void test_admin(struct kh_test *t)
{
	(void)t;
	for (unsigned effect = KH_EFFECT_NONE; effect <= KH_EFFECT_PAYMENT; effect++) {
		assert_false(kh_tier_needs_admin(KH_TIER_0, effect));
		assert_false(kh_tier_needs_admin(KH_TIER_1, effect));
		assert_int_equal(kh_tier_needs_admin(KH_TIER_2, effect), effect != KH_EFFECT_NONE);
		assert_true(kh_tier_needs_admin(KH_TIER_3, effect));
	}
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_limits), KH_TEST_ONCE(test_admin)};
KH_TEST_MAIN(cases)
