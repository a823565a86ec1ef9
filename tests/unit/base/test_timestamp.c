#include "base/timestamp.h"
#include "harness.h"

static const struct {
	int64_t time;
	const char *text;
} vectors[] = {
	{0, "1970-01-01T00:00:00Z"},
	{INT64_C(1769855400000000), "2026-01-31T10:30:00Z"},
	{INT64_C(1769855400000001), "2026-01-31T10:30:00.000001Z"},
	{INT64_C(1769855400120000), "2026-01-31T10:30:00.12Z"},
	{INT64_C(951782400000000), "2000-02-29T00:00:00Z"},
	{INT64_C(1709251199999999), "2024-02-29T23:59:59.999999Z"},
	{INT64_C(4107542400000000), "2100-03-01T00:00:00Z"},
	{KH_TIMESTAMP_END - 1, "9999-12-31T23:59:59.999999Z"},
};

/* E10: RFC 3339 in UTC, to and from. */
static void test_vectors(struct kh_test *t)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		struct kh_view text = kh_timestamp_text(&t->arena, vectors[i].time);
		int64_t time;

		must(t, kh_arena_check(&t->arena));
		assert_view(text, vectors[i].text);
		assert_true(kh_timestamp_parse(text, &time));
		assert_true(time == vectors[i].time);
	}
	assert_null(kh_timestamp_text(&t->arena, -1).p);
	assert_null(kh_timestamp_text(&t->arena, KH_TIMESTAMP_END).p);
	must(t, kh_arena_check(&t->arena));
}

/* Every day to 2134, and then every 29th to 9999, follows the one before it, and comes back. */
static void test_every_day(struct kh_test *t)
{
	char before[32] = "";

	for (int64_t day = 0; day < KH_TIMESTAMP_END / INT64_C(86400000000); day += day < 60000 ? 1 : 29) {
		int64_t time = day * INT64_C(86400000000) + INT64_C(86399000000), again = -1;
		struct kh_view text = kh_timestamp_text(&t->arena, time);

		assert_int_equal(text.n, 20);
		assert_true(kh_view_cmp(kh_view_str(before), text) < 0);
		assert_true(kh_timestamp_parse(text, &again) && again == time);
		memcpy(before, text.p, 20);
		kh_arena_clear(&t->arena);
	}
	assert_true(kh_view_starts(kh_view_str(before), KH_LIT("9999-12-")));
}

static void test_refused(struct kh_test *t)
{
	static const char *const all[] = {
		"",
		"Z",
		"2026-01-31",
		"2026-01-31T10:30:00",
		"2026-01-31T10:30Z",
		"2026-01-31t10:30:00Z",
		"2026-01-31T10:30:00z",
		"2026-01-31 10:30:00Z",
		"2026-01-31T10:30:00+00:00",
		"2026-01-31T10:30:00Z ",
		" 2026-01-31T10:30:00Z",
		"2026-01-31T10:30:00.Z",
		"2026-01-31T10:30:00.1234567Z",
		"2026-01-31T10:30:00,5Z",
		"2026-01-31T10:30:00.5ZZ",
		"2026-01-31T10:30:00.-5Z",
		"2026-02-29T00:00:00Z",
		"2100-02-29T00:00:00Z",
		"2026-04-31T00:00:00Z",
		"2026-00-01T00:00:00Z",
		"2026-13-01T00:00:00Z",
		"2026-01-00T00:00:00Z",
		"2026-01-31T24:00:00Z",
		"2026-01-31T10:60:00Z",
		"2016-12-31T23:59:60Z",
		"1969-12-31T23:59:59Z",
		"+026-01-31T10:30:00Z",
		"2026-1-31T10:30:00Z",
		"20260131T103000Z",
		("\xef\xbc\x92"
		 "026-01-31T10:30:00Z"),
	};
	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int64_t time = 42;
		if (kh_timestamp_parse(kh_view_str(all[i]), &time))
			fail_msg("read: %s", all[i]);
		assert_int_equal(time, 42);
	}
}

static void test_fraction(struct kh_test *t)
{
	int64_t time;

	(void)t;
	assert_true(kh_timestamp_parse(KH_LIT("1970-01-01T00:00:00.000Z"), &time) && time == 0);
	assert_true(kh_timestamp_parse(KH_LIT("1970-01-01T00:00:01.05Z"), &time) && time == 1050000);
	assert_true(kh_timestamp_parse(KH_LIT("1970-01-01T00:00:00.000001Z"), &time) && time == 1);
}

static const struct kh_test_case cases[] = {KH_TEST(test_vectors), KH_TEST_ONCE(test_every_day),
					    KH_TEST_ONCE(test_refused), KH_TEST_ONCE(test_fraction)};
KH_TEST_MAIN(cases)
