/*
 * RFC 3339 with our own calendar, because libc's depends on the time zone and the locale, and is lenient in its own
 * way.  The input is hostile: only the texts that the header describes are accepted.
 */
#include "base/timestamp.h"

#define SECOND  INT64_C(1000000)
#define DAY     (86400 * SECOND)
#define YEARS_4 (4 * 365 + 1) /* days */

/* Days from the beginning of the year to the beginning of each month, in a year that is not a leap year. */
static const int before_month[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

static bool is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int64_t days_before_month(int64_t year, int64_t month)
{
	return before_month[month - 1] + (month > 2 && is_leap(year) ? 1 : 0);
}

static int64_t days_in_month(int64_t year, int64_t month)
{
	return before_month[month] - before_month[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

/* Days from 1970-01-01 to the first day of YEAR. */
static int64_t days_before_year(int64_t year)
{
	int64_t y = year - 1;

	return 365 * (year - 1970) + (y / 4 - 1969 / 4) - (y / 100 - 1969 / 100) + (y / 400 - 1969 / 400);
}

/* VALUE as COUNT digits. */
static void put(char *p, size_t count, int64_t value)
{
	for (size_t i = count; i-- > 0; value /= 10)
		p[i] = (char)('0' + value % 10);
}

struct kh_view kh_timestamp_text(struct kh_arena *arena, int64_t time)
{
	if (time < 0 || time >= KH_TIMESTAMP_END)
		return (struct kh_view){NULL, 0};
	int64_t days = time / DAY, rest = time % DAY;
	/* A guess by years of 365.25 days, at most a step or two off. */
	int64_t year = 1970 + days * 4 / YEARS_4, month = 1;
	while (days_before_year(year) > days)
		year--;
	while (days_before_year(year + 1) <= days)
		year++;
	days -= days_before_year(year);
	while (month < 12 && days_before_month(year, month + 1) <= days)
		month++;
	int64_t seconds = rest / SECOND, fraction = rest % SECOND;
	char text[] = "0000-00-00T00:00:00.000000Z";
	size_t n = sizeof(text) - 2; /* up to the Z */
	put(text, 4, year);
	put(text + 5, 2, month);
	put(text + 8, 2, days - days_before_month(year, month) + 1);
	put(text + 11, 2, seconds / 3600);
	put(text + 14, 2, seconds / 60 % 60);
	put(text + 17, 2, seconds % 60);
	put(text + 20, 6, fraction);
	for (; fraction != 0 && fraction % 10 == 0; fraction /= 10)
		n--;
	if (fraction == 0)
		n = sizeof("0000-00-00T00:00:00") - 1;
	text[n] = 'Z';
	return kh_arena_dup(arena, kh_view_of(text, n + 1));
}

/* COUNT digits at AT of TEXT as a number, or -1. */
static int64_t number(struct kh_view text, size_t at, size_t count)
{
	int64_t value = 0;

	for (size_t i = at; i < at + count; i++) {
		if (i >= text.n || !kh_ascii_is_digit(text.p[i]))
			return -1;
		value = value * 10 + (text.p[i] - '0');
	}
	return value;
}

/* The microseconds of TEXT, the part between the seconds and the Z; -1 if it is not a fraction. */
static int64_t fraction(struct kh_view text)
{
	if (text.n == 0)
		return 0;
	int64_t value = text.p[0] == '.' && text.n >= 2 && text.n <= 7 ? number(text, 1, text.n - 1) : -1;
	for (size_t i = text.n; value > 0 && i < 7; i++)
		value *= 10;
	return value;
}

bool kh_timestamp_parse(struct kh_view text, int64_t *ret_time)
{
	static const char shape[] = "0000-00-00T00:00:00";
	size_t n = sizeof(shape) - 1;

	if (text.n <= n || text.p[text.n - 1] != 'Z')
		return false;
	for (size_t i = 0; i < n; i++) {
		if (shape[i] != '0' && text.p[i] != shape[i])
			return false;
	}
	int64_t year = number(text, 0, 4), month = number(text, 5, 2), day = number(text, 8, 2);
	int64_t hour = number(text, 11, 2), minute = number(text, 14, 2), second = number(text, 17, 2);
	int64_t micro = fraction(kh_view_sub(text, n, text.n - 1));
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour < 0 ||
	    hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || micro < 0)
		return false;
	int64_t days = days_before_year(year) + days_before_month(year, month) + day - 1;
	*ret_time = days * DAY + (hour * 3600 + minute * 60 + second) * SECOND + micro;
	return true;
}
