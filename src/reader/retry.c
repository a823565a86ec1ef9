/* Retries.  The value of a header comes from the server: it is a date only if it can be parsed to its last byte. */
#include "reader/retry.h"

#define HALF_CENTURY (INT64_C(50) * 365 * 24 * 3600) /* seconds */

bool kh_retry_is_due(unsigned status)
{
	return status == 429 || status == 500 || (status >= 502 && status <= 504) || status == 529;
}

int64_t kh_retry_pause_ms(unsigned n, unsigned char chance)
{
	int64_t pause = KH_RETRY_FIRST_MS;

	while (n-- > 1 && pause < KH_RETRY_MOST_MS)
		pause *= 2;
	if (pause > KH_RETRY_MOST_MS)
		pause = KH_RETRY_MOST_MS;
	return pause - pause * chance / 1024;
}

/* --- dates -------------------------------------------------------------------------------------------------------- */

struct date {
	int64_t year, month, day, hour, minute, second;
};

/* N digits; with BLANK the first may be a blank. */
static bool take_number(struct kh_view *rest, size_t n, bool blank, int64_t *ret_number)
{
	int64_t number = 0;

	if (rest->n < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = rest->p[i];
		if (kh_ascii_is_digit(c))
			number = number * 10 + (c - '0');
		else if (!blank || i > 0 || c != ' ')
			return false;
	}
	*rest = kh_view_from(*rest, n);
	*ret_number = number;
	return true;
}

static bool take_text(struct kh_view *rest, struct kh_view text)
{
	if (!kh_view_starts(*rest, text))
		return false;
	*rest = kh_view_from(*rest, text.n);
	return true;
}

static bool take_month(struct kh_view *rest, int64_t *ret_month)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct kh_view word = kh_view_sub(*rest, 0, 3);

	for (int64_t i = 0; i < 12 && word.n == 3; i++) {
		if (kh_view_eq(word, kh_view_of(months + 3 * i, 3))) {
			*rest = kh_view_from(*rest, 3);
			*ret_month = i + 1;
			return true;
		}
	}
	return false;
}

static bool take_clock(struct kh_view *rest, struct date *date)
{
	return take_number(rest, 2, false, &date->hour) && take_text(rest, KH_LIT(":")) &&
	       take_number(rest, 2, false, &date->minute) && take_text(rest, KH_LIT(":")) &&
	       take_number(rest, 2, false, &date->second);
}

/* Skips the day's name, which is not needed: a word of letters. */
static void skip_word(struct kh_view *rest)
{
	while (rest->n > 0 && kh_ascii_is_alpha(rest->p[0]))
		*rest = kh_view_from(*rest, 1);
}

/* "Sun, 06 Nov 1994 08:49:37 GMT" */
static bool read_usual(struct kh_view text, struct date *date)
{
	skip_word(&text);
	return take_text(&text, KH_LIT(", ")) && take_number(&text, 2, false, &date->day) &&
	       take_text(&text, KH_LIT(" ")) && take_month(&text, &date->month) && take_text(&text, KH_LIT(" ")) &&
	       take_number(&text, 4, false, &date->year) && take_text(&text, KH_LIT(" ")) && take_clock(&text, date) &&
	       kh_view_eq(text, KH_LIT(" GMT"));
}

/* "Sunday, 06-Nov-94 08:49:37 GMT": the year of this century with these two digits. */
static bool read_dashed(struct kh_view text, struct date *date)
{
	skip_word(&text);
	bool good = take_text(&text, KH_LIT(", ")) && take_number(&text, 2, false, &date->day) &&
		    take_text(&text, KH_LIT("-")) && take_month(&text, &date->month) && take_text(&text, KH_LIT("-")) &&
		    take_number(&text, 2, false, &date->year) && take_text(&text, KH_LIT(" ")) &&
		    take_clock(&text, date) && kh_view_eq(text, KH_LIT(" GMT"));
	date->year += 2000;
	return good;
}

/* "Sun Nov  6 08:49:37 1994" */
static bool read_old(struct kh_view text, struct date *date)
{
	skip_word(&text);
	return take_text(&text, KH_LIT(" ")) && take_month(&text, &date->month) && take_text(&text, KH_LIT(" ")) &&
	       take_number(&text, 2, true, &date->day) && take_text(&text, KH_LIT(" ")) && take_clock(&text, date) &&
	       take_text(&text, KH_LIT(" ")) && take_number(&text, 4, false, &date->year) && text.n == 0;
}

/* Seconds of the epoch.  Years begin in March here, so that the leap day is their last day. */
static int64_t seconds_of(const struct date *date)
{
	int64_t year = date->year - (date->month <= 2), month = (date->month + 9) % 12;
	int64_t days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + date->day - 1;

	return ((days - 719468) * 24 + date->hour) * 3600 + date->minute * 60 + date->second;
}

static bool read_date(struct kh_view text, int64_t now, int64_t *ret_seconds)
{
	struct date date = {0};
	bool is_dashed = read_dashed(text, &date);

	if (!is_dashed && !read_usual(text, &date) && !read_old(text, &date))
		return false;
	if (is_dashed && seconds_of(&date) - now > HALF_CENTURY)
		date.year -= 100; /* RFC 9110: a date that seems so far in the future is in the past */
	if (date.day < 1 || date.day > 31 || date.hour > 23 || date.minute > 59 || date.second > 60)
		return false;
	*ret_seconds = seconds_of(&date);
	return true;
}

/* Digits only; larger values become NEVER. */
static bool read_seconds(struct kh_view text, int64_t *ret_seconds)
{
	int64_t seconds = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (!kh_ascii_is_digit(text.p[i]))
			return false;
		if (seconds < KH_RETRY_NEVER_MS)
			seconds = seconds * 10 + (text.p[i] - '0');
	}
	*ret_seconds = seconds;
	return text.n > 0;
}

bool kh_retry_after_ms(struct kh_view value, int64_t now, int64_t *ret_ms)
{
	int64_t seconds, at;

	if (!read_seconds(value, &seconds)) {
		if (!read_date(value, now, &at))
			return false;
		seconds = at > now ? at - now : 0;
	}
	*ret_ms = seconds < KH_RETRY_NEVER_MS / 1000 ? seconds * 1000 : KH_RETRY_NEVER_MS;
	return true;
}
