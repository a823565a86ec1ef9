/* E7, I6: an error from a fixed list, each with a word of its own and a sentence. */
#include "harness.h"

#include "wire/fault.h"

static void test_names(struct kh_test *t)
{
	(void)t;
	for (enum kh_fault fault = 0; fault < KH_FAULTS; fault++) {
		const char *name = kh_fault_name(fault);
		assert_true(strlen(name) > 2 && strlen(kh_fault_about(fault)) > 10);
		/* A word that programs compare. */
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
		for (enum kh_fault other = 0; other < fault; other++) {
			assert_string_not_equal(name, kh_fault_name(other));
			assert_string_not_equal(kh_fault_about(fault), kh_fault_about(other));
		}
	}
	assert_string_equal(kh_fault_name(KH_FAULT_INCOMPLETE), "sandbox_incomplete");
	assert_string_equal(kh_fault_name(KH_FAULT_LOST), "executor_lost");
}

static void test_unknown(struct kh_test *t)
{
	(void)t;
	assert_string_equal(kh_fault_name(KH_FAULTS), "unknown");
	assert_string_equal(kh_fault_about(KH_FAULTS), "unknown");
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_names), KH_TEST_ONCE(test_unknown)};

KH_TEST_MAIN(cases)
