/* Numbers as exact decimals. */
#include "harness.h"

#include "base/decimal.h"

static struct kh_decimal of(struct kh_test *t, const char *text)
{
	yyjson_val *val = NULL;

	must(t, kh_json_read(&t->arena, kh_view_str(text), &val, &t->err));
	return kh_decimal_of(val);
}

/* In ascending order; those in one line are the same. */
static void test_order(struct kh_test *t)
{
	static const char *const rows[][3] = {
		{"-1e308"},
		{"-18446744073709551617", "-1.8446744073709552e19"},
		{"-9223372036854775808"},
		{"-9223372036854775807"},
		{"-1.5", "-15e-1"},
		{"-1", "-1.0", "-10e-1"},
		{"-1e-300"},
		{"0", "-0", "0.0"},
		{"5e-324"},
		{"0.1", "1e-1", "0.10"},
		{"0.3"},
		{"0.30000000000000004"},
		{"1", "1.0", "100e-2"},
		{"9007199254740992", "9007199254740992.0"},
		{"9007199254740993"},
		{"9007199254740994"},
		{"18446744073709551614"},
		{"18446744073709551615"},
		{"1e20", "100000000000000000000"},
		{"1e308"},
	};
	size_t n = sizeof(rows) / sizeof(rows[0]);

	for (size_t i = 0; i < n * n; i++) {
		for (size_t k = 0; k < 9; k++) {
			const char *a = rows[i / n][k / 3], *b = rows[i % n][k % 3];
			if (a == NULL || b == NULL)
				continue;
			int c = kh_decimal_cmp(of(t, a), of(t, b)), want = (i / n > i % n) - (i / n < i % n);
			if ((c > 0) - (c < 0) != want)
				fail_msg("%s against %s: %d", a, b, c);
		}
	}
}

static void test_multiple(struct kh_test *t)
{
	static const struct {
		const char *a, *of;
		bool is_multiple;
	} rows[] = {
		{"0.3", "0.1", true},
		{"1.1", "0.1", true},
		{"0.35", "0.1", false},
		{"0", "7", true},
		{"1e308", "0.1", true},
		{"1e308", "3", false},
		{"9007199254740993", "3", true},
		{"9007199254740993", "2", false},
		{"-6", "4", false},
		{"-6", "1.5", true},
		{"1e-324", "1e-300", true}, /* it is 0 */
		{"5e-324", "1e-300", false},
		{"18446744073709551615", "18446744073709551615", true},
		{"1e300", "18446744073709551615", false},
		{"4.35", "0.01", true},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (kh_decimal_is_multiple(of(t, rows[i].a), of(t, rows[i].of)) != rows[i].is_multiple)
			fail_msg("%s of %s", rows[i].a, rows[i].of);
	}
}

static void test_int(struct kh_test *t)
{
	int64_t value = 0;

	assert_true(kh_decimal_int(of(t, "-9223372036854775808"), &value) && value == INT64_MIN);
	assert_true(kh_decimal_int(of(t, "9223372036854775807"), &value) && value == INT64_MAX);
	assert_true(kh_decimal_int(of(t, "1e3"), &value) && value == 1000);
	assert_true(kh_decimal_int(of(t, "-0.0"), &value) && value == 0);
	assert_false(kh_decimal_int(of(t, "9223372036854775808"), &value));
	assert_false(kh_decimal_int(of(t, "0.5"), &value));
	assert_false(kh_decimal_int(of(t, "1e19"), &value));
	assert_false(kh_decimal_int(of(t, "1e300"), &value));
}

static void test_text(struct kh_test *t)
{
	static const char *const rows[][2] = {
		{"0", "0"},
		{"-0.0", "0"},
		{"120", "120"},
		{"-12.50", "-12.5"},
		{"0.001", "0.001"},
		{"1e-8", "1e-8"},
		{"1.5e300", "1.5e300"},
		{"-1e22", "-1e22"},
		{"1e20", "100000000000000000000"},
		{"18446744073709551615", "18446744073709551615"},
		{"0.1", "0.1"},
		{"123456.789", "123456.789"},
	};
	char text[KH_DECIMAL_TEXT];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		kh_decimal_text(of(t, rows[i][0]), text);
		assert_string_equal(text, rows[i][1]);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_order),
	KH_TEST(test_multiple),
	KH_TEST(test_int),
	KH_TEST(test_text),
};
KH_TEST_MAIN(cases)
