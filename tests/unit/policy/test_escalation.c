#include "core/policy/escalation.h"
#include "harness.h"

/* B19, B10: which query is an escalation. */
static void test_is(struct kh_test *t)
{
	(void)t;
	for (unsigned lowest = 0; lowest <= 3; lowest++) {
		for (unsigned category = 1; category <= 3; category++) {
			bool want = category == 3 || (lowest != 0 && category > lowest);
			assert_int_equal(kh_escalation_is(category, 64000000, lowest), want);
		}
	}
	assert_true(kh_escalation_is(1, 64000001, 0)); /* B10: more than 64 bits in category 1 */
	assert_false(kh_escalation_is(2, 64000001, 0));
}

/* B19: two by default; the third fails the task, and so does every later one. */
static void test_take(struct kh_test *t)
{
	uint64_t used = 0;

	(void)t;
	assert_int_equal(kh_escalation_take(false, 99, 2), KH_ESCALATION_NONE);
	for (unsigned i = 0; i < 5; i++) {
		enum kh_escalation e = kh_escalation_take(true, used, 2);
		assert_int_equal(e, i < 2 ? KH_ESCALATION_TAKEN : KH_ESCALATION_FAILS);
		used += e == KH_ESCALATION_TAKEN;
	}
	assert_int_equal(used, 2);
	assert_int_equal(kh_escalation_take(true, 0, 0), KH_ESCALATION_FAILS);
	assert_int_equal(kh_escalation_take(true, UINT64_MAX, UINT64_MAX), KH_ESCALATION_FAILS);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_is), KH_TEST_ONCE(test_take)};
KH_TEST_MAIN(cases)
