#include "core/bcp/number.h"

#include "harness.h"

static struct kh_number number(const char *text)
{
	struct kh_number n = {0};
	const char *problem = NULL;

	if (!kh_number_read(kh_view_str(text), &n, &problem))
		fail_msg("%s: %s", text, problem);
	return n;
}

static void test_add_and_compare(struct kh_test *t)
{
	struct kh_number sum;

	assert_true(kh_number_add(number("0.1"), number("0.20"), &sum));
	assert_int_equal(kh_number_cmp(sum, number("0.3")), 0);
	struct kh_view v = kh_number_write(&t->arena, sum, 2);
	must(t, kh_arena_check(&t->arena));
	assert_view(v, "0.30");
	assert_true(kh_number_cmp(number("-5"), number("0.001")) < 0);
	assert_true(kh_number_cmp(number("1.5"), number("1.49")) > 0);
	assert_int_equal(kh_number_cmp(number("2.50"), number("2.5")), 0);
	assert_true(kh_number_cmp(number("999999999999999999"), number("0.000000000000000001")) > 0);
	assert_true(kh_number_cmp(number("0.000000000000000001"), number("999999999999999999")) < 0);
	assert_true(kh_number_cmp(number("-999999999999999999"), number("0.000000000000000001")) < 0);
	assert_false(kh_number_add(number("999999999999999999"), number("0.000000000000000001"), &sum));
}

static void test_small(struct kh_test *t)
{
	struct kh_view v = kh_number_write(&t->arena, number("-0.05"), 0);
	must(t, kh_arena_check(&t->arena));
	assert_view(v, "-0.05");
	v = kh_number_write(&t->arena, number("-0"), 0);
	must(t, kh_arena_check(&t->arena));
	assert_view(v, "0");
}

static const struct kh_test_case cases[] = {KH_TEST(test_add_and_compare), KH_TEST(test_small)};
KH_TEST_MAIN(cases)
