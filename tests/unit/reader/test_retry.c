/* I3: when a request is sent again, and how long that waits. */
#include "harness.h"

#include "reader/retry.h"

static void test_statuses(struct kh_test *t)
{
	(void)t;
	for (unsigned status = 0; status < 1000; status++) {
		bool due = status == 429 || status == 500 || status == 502 || status == 503 || status == 504 ||
			   status == 529;
		assert_int_equal(kh_retry_is_due(status), due);
	}
}

/* Doubled up to the most; chance takes off a quarter and no more. */
static void test_pauses(struct kh_test *t)
{
	static const int64_t whole[] = {250, 500, 1000, 2000, 4000, 8000, 8000, 8000};

	(void)t;
	for (unsigned n = 1; n <= sizeof(whole) / sizeof(whole[0]); n++) {
		assert_int_equal(kh_retry_pause_ms(n, 0), whole[n - 1]);
		assert_true(kh_retry_pause_ms(n, 255) < whole[n - 1]);
		assert_true(kh_retry_pause_ms(n, 255) >= whole[n - 1] * 3 / 4);
	}
	assert_int_equal(kh_retry_pause_ms(1000000, 0), KH_RETRY_MOST_MS);
}

#define NOW INT64_C(784111700) /* 77 seconds before the dates of RFC 9110 */

static void test_after(struct kh_test *t)
{
	static const struct {
		const char *value;
		int64_t ms; /* -1: none */
	} all[] = {
		{"0", 0},
		{"1", 1000},
		{"007", 7000},
		{"120", 120000},
		{"86400", KH_RETRY_NEVER_MS},
		{"99999999999999999999999999999999999999", KH_RETRY_NEVER_MS},
		{"Sun, 06 Nov 1994 08:49:37 GMT", 77000},
		{"Sun Nov  6 08:49:37 1994", 77000},
		{"Sun Nov 06 08:49:37 1994", 77000},
		{"Sunday, 06-Nov-94 08:49:37 GMT", 77000},
		{"Friday, 06-Nov-26 08:49:37 GMT", KH_RETRY_NEVER_MS},
		{"Monday, 06-Nov-90 08:49:37 GMT", 0},
		{"Sun, 06 Nov 1994 08:48:20 GMT", 0},
		{"Sat, 01 Jan 2000 00:00:00 GMT", KH_RETRY_NEVER_MS},
		{"Thu, 01 Jan 1970 00:00:00 GMT", 0},
		{"", -1},
		{"-1", -1},
		{"1.5", -1},
		{"1 ", -1},
		{"+1", -1},
		{"soon", -1},
		{"Sun, 06 Nov 1994 08:49:37", -1},
		{"Sun, 06 Nov 1994 08:49:37 CET", -1},
		{"Sun, 06 Nov 1994 08:49:37 GMT+1", -1},
		{"Sun, 6 Nov 1994 08:49:37 GMT", -1},
		{"Sun, 00 Nov 1994 08:49:37 GMT", -1},
		{"Sun, 32 Nov 1994 08:49:37 GMT", -1},
		{"Sun, 06 Now 1994 08:49:37 GMT", -1},
		{"Sun, 06 Nov 1994 24:49:37 GMT", -1},
		{"Sun, 06 Nov 1994 08:60:37 GMT", -1},
		{"Sun, 06 Nov 94 08:49:37 GMT", -1},
		{", ", -1},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int64_t ms = -1;
		bool read = kh_retry_after_ms(kh_view_str(all[i].value), NOW, &ms);
		if (ms != all[i].ms)
			print_error("%s: %lld\n", all[i].value, (long long)ms);
		assert_int_equal(ms, all[i].ms);
		assert_int_equal(read, all[i].ms >= 0);
	}
	int64_t ms;
	assert_false(kh_retry_after_ms(kh_view_of(NULL, 0), NOW, &ms));
}

/* Days are counted as the calendar has them, over leap years too: each day is one after the one before. */
static void test_days(struct kh_test *t)
{
	static const struct {
		const char *date;
		int64_t seconds;
	} all[] = {
		{"Thu, 29 Feb 1996 00:00:00 GMT", 825552000},  {"Fri, 01 Mar 1996 00:00:00 GMT", 825638400},
		{"Tue, 29 Feb 2000 23:59:59 GMT", 951868799},  {"Wed, 01 Mar 2000 00:00:00 GMT", 951868800},
		{"Thu, 31 Dec 2026 12:00:00 GMT", 1798718400}, {"Fri, 01 Jan 2027 00:00:00 GMT", 1798761600},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int64_t ms = -1;
		assert_true(kh_retry_after_ms(kh_view_str(all[i].date), all[i].seconds - 5, &ms));
		assert_int_equal(ms, 5000);
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_statuses), KH_TEST(test_pauses), KH_TEST(test_after),
					    KH_TEST(test_days)};
KH_TEST_MAIN(cases)
