#include "harness.h"

static void test_find(struct kh_test *t)
{
	(void)t;
	assert_int_equal(kh_view_find(KH_LIT("abcabc"), KH_LIT("ca"), 0), 2);
	assert_int_equal(kh_view_find(KH_LIT("abcabc"), KH_LIT("abc"), 1), 3);
	assert_int_equal(kh_view_find(KH_LIT("abcabc"), KH_LIT("x"), 0), SIZE_MAX);
	assert_int_equal(kh_view_find(KH_LIT("ab"), KH_LIT("abc"), 0), SIZE_MAX);
	assert_int_equal(kh_view_find(KH_LIT("aab"), KH_LIT("ab"), 0), 1);
	assert_int_equal(kh_view_find(KH_LIT("ab"), KH_LIT(""), 2), 2);
	assert_int_equal(kh_view_find(KH_LIT("ab"), KH_LIT(""), 3), SIZE_MAX);
}

static void test_trim_and_split(struct kh_test *t)
{
	(void)t;
	struct kh_view rest = KH_LIT("a,,b"), piece;

	assert_view(kh_view_trim(KH_LIT(" \t a b\r\n")), "a b");
	assert_view(kh_view_trim(KH_LIT("   ")), "");
	assert_true(kh_view_split(&rest, ',', &piece));
	assert_view(piece, "a");
	assert_true(kh_view_split(&rest, ',', &piece));
	assert_view(piece, "");
	assert_true(kh_view_split(&rest, ',', &piece));
	assert_view(piece, "b");
	assert_false(kh_view_split(&rest, ',', &piece));
}

static void test_compare(struct kh_test *t)
{
	(void)t;
	assert_true(kh_view_cmp(KH_LIT("a"), KH_LIT("ab")) < 0);
	assert_true(kh_view_cmp(KH_LIT("b"), KH_LIT("ab")) > 0);
	assert_int_equal(kh_view_cmp(KH_LIT("ab"), KH_LIT("ab")), 0);
	assert_true(kh_view_eq_nocase(KH_LIT("HtTp"), KH_LIT("http")));
	assert_false(kh_view_eq_nocase(KH_LIT("http"), KH_LIT("https")));
	assert_false(kh_view_eq_nocase(KH_LIT("a"), KH_LIT("b")));
	assert_true(kh_view_starts(KH_LIT("abc"), KH_LIT("ab")));
	assert_true(kh_view_ends(KH_LIT("abc"), KH_LIT("bc")));
	assert_false(kh_view_ends(KH_LIT("c"), KH_LIT("bc")));
	assert_view(kh_view_sub(KH_LIT("abcdef"), 2, 100), "cdef");
	assert_view(kh_view_sub(KH_LIT("abcdef"), 7, 3), "");
}

static void test_int(struct kh_test *t)
{
	(void)t;
	int64_t value = 0;

	assert_true(kh_view_int(KH_LIT("-9223372036854775808"), &value));
	assert_true(value == INT64_MIN);
	assert_true(kh_view_int(KH_LIT("9223372036854775807"), &value));
	assert_true(value == INT64_MAX);
	static const char *const bad[] = {"",
					  "-",
					  "-0",
					  "01",
					  "1.0",
					  "1e0",
					  " 1",
					  "9223372036854775808",
					  "1x",
					  "-9223372036854775809",
					  "99999999999999999999"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(kh_view_int(kh_view_str(bad[i]), &value));
}

static void test_is_id(struct kh_test *t)
{
	static const char *const good[] = {"a", "_", "9", "a.b:c-d_e", "b01234567"};
	static const char *const bad[] = {"", ".a", ":a", "-a", "a b", "a\n", "a/b", "\xc3\xa4", "b012345678"};

	(void)t;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(kh_view_is_id(kh_view_str(good[i]), 9));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(kh_view_is_id(kh_view_str(bad[i]), 9));
}

static const struct kh_test_case cases[] = {KH_TEST(test_find), KH_TEST(test_trim_and_split), KH_TEST(test_compare),
					    KH_TEST(test_int), KH_TEST(test_is_id)};
KH_TEST_MAIN(cases)
