/* E7: a sandbox that lacks a part says which: each has a name of its own. */
#include "harness.h"

#include "wire/part.h"

static void test_names(struct kh_test *t)
{
	(void)t;
	for (enum kh_part part = 0; part < KH_PARTS; part++) {
		assert_true(strlen(kh_part_name(part)) > 2);
		for (enum kh_part other = 0; other < part; other++)
			assert_string_not_equal(kh_part_name(part), kh_part_name(other));
	}
	assert_string_equal(kh_part_name(KH_PART_USER), "user namespace");
	assert_string_equal(kh_part_name(KH_PART_LANDLOCK), "landlock");
	assert_string_equal(kh_part_name(KH_PARTS), "unknown");
	assert_string_equal(kh_part_name((enum kh_part)0xffffffff), "unknown");
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_names)};

KH_TEST_MAIN(cases)
