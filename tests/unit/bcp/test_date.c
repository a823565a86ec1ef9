#include "core/bcp/date.h"

#include "harness.h"

#include <stdio.h>

static void test_weekday(struct kh_test *t)
{
	(void)t;
	static const struct {
		struct kh_date date;
		int weekday;
	} all[] = {{{2026, 3, 15}, 7}, {{2000, 1, 1}, 6},   {{1970, 1, 1}, 4},   {{2024, 2, 29}, 4},
		   {{1600, 2, 29}, 2}, {{1999, 12, 31}, 5}, {{9999, 12, 31}, 5}, {{1000, 1, 1}, 3}};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(kh_date_weekday(&all[i].date), all[i].weekday);
}

/* B11: every day from 1900 to 2100 follows the one before, and its weekday too. */
static void test_calendar(struct kh_test *t)
{
	int weekday = 1; /* Monday, 1 January 1900 */

	for (int year = 1900; year <= 2100; year++) {
		for (int month = 1; month <= 12; month++) {
			for (int day = 1; day <= 31; day++) {
				char text[16];
				struct kh_date date;
				const char *problem;
				struct kh_view v;
				snprintf(text, sizeof(text), "%04d-%02d-%02d", year, month, day);
				if (!kh_date_read(kh_view_str(text), &date, &problem)) {
					assert_true(day > 28);
					continue;
				}
				assert_int_equal(kh_date_weekday(&date), weekday);
				weekday = weekday % 7 + 1;
				v = kh_date_write(&t->arena, &date);
				assert_view(v, text);
			}
		}
		kh_arena_clear(&t->arena);
	}
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_weekday), KH_TEST_ONCE(test_calendar)};
KH_TEST_MAIN(cases)
