/*
 * B7: for each finite format the bound is at least log2 of its distinct outputs.
 *
 * Every candidate of the shape of a canonical form is read, valid or not, and those that come out as themselves are
 * counted: dates, clocks, zones, countries, languages, currencies, yes and no.  Because a canonical form read again
 * gives itself (I-10), no output is missed.  Numbers and telephone numbers are counted exactly: by a formula, which is
 * held against enumeration for numbers of few digits.
 */
#include "core/bcp/bits.h"
#include "core/bcp/bound.h"
#include "core/bcp/closed.h"
#include "core/bcp/currency.h"
#include "core/bcp/date.h"
#include "core/bcp/number.h"
#include "prove.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static struct kh_arena arena;
static const struct kh_format_detail plain, every = {.seconds = true, .zone = true};

/* True if TEXT, a format's candidate, is accepted and comes out as it is. */
__attribute__((format(printf, 3, 4))) static bool is_form(enum kh_format format, struct kh_format_detail detail,
							  const char *fmt, ...)
{
	char text[64];
	struct kh_view canonical;
	const char *problem;
	va_list list;

	va_start(list, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, list);
	va_end(list);
	struct kh_view v = kh_view_of(text, (size_t)n);
	bool yes = kh_format_read(format, detail, &arena, v, &canonical, &problem) && kh_view_eq(canonical, v);
	kh_arena_clear(&arena);
	return yes;
}

/* COUNT different outputs, times FACTOR: the bound of FORMAT is no less. */
static void prove_bound(enum kh_format format, struct kh_format_detail detail, long double count)
{
	for (unsigned words = 1; words <= 50; words++) {
		long double bits = (long double)kh_bound_answer(format, detail, words) / KH_MICROBIT;
		PROVE(bits >= log2l(count) - 1e-12L, "%s: %.7Lf bits for %.0Lf forms", kh_format_name(format), bits,
		      count);
		PROVE(bits < log2l(count) + 0.00001L, "%s: %.7Lf bits, but only %.0Lf forms", kh_format_name(format),
		      bits, count);
	}
	PROVED("B7 %s%s: %.0Lf forms, %.6Lf bits announced", kh_format_name(format),
	       detail.seconds ? " with seconds and zone" : "", count,
	       (long double)kh_bound_answer(format, detail, 1) / KH_MICROBIT);
}

static uint64_t count_dates(uint64_t *ret_whole)
{
	uint64_t whole = 0, months = 0, yearless = 0;

	for (int month = 0; month <= 13; month++) {
		for (int day = 0; day <= 32; day++) {
			yearless += is_form(KH_FORMAT_DATE, plain, "--%02d-%02d", month, day);
			for (int year = 0; year <= 9999; year++)
				whole += is_form(KH_FORMAT_DATE, plain, "%04d-%02d-%02d", year, month, day);
		}
		for (int year = 0; year <= 9999; year++)
			months += is_form(KH_FORMAT_DATE, plain, "%04d-%02d", year, month);
	}
	*ret_whole = whole + yearless;
	return whole + months + yearless;
}

static uint64_t count_clocks(bool seconds)
{
	uint64_t n = 0;

	for (int hour = 0; hour <= 25; hour++) {
		for (int minute = 0; minute <= 61; minute++) {
			n += is_form(KH_FORMAT_TIME, every, "%02d:%02d", hour, minute);
			for (int second = 0; seconds && second <= 61; second++)
				n += is_form(KH_FORMAT_TIME, every, "%02d:%02d:%02d", hour, minute, second);
		}
	}
	return n;
}

static uint64_t count_zones(void)
{
	uint64_t n = 1 + is_form(KH_FORMAT_TIME, every, "12:34Z"); /* none is one of them */

	for (int minutes = 0; minutes < 100 * 60; minutes++) {
		n += is_form(KH_FORMAT_TIME, every, "12:34+%02d:%02d", minutes / 60, minutes % 60);
		n += is_form(KH_FORMAT_TIME, every, "12:34-%02d:%02d", minutes / 60, minutes % 60);
	}
	return n;
}

static void prove_times(uint64_t days)
{
	uint64_t zones = count_zones(), minutes = count_clocks(false), seconds = count_clocks(true);

	PROVE(!is_form(KH_FORMAT_TIME, plain, "12:34:56") && !is_form(KH_FORMAT_TIME, plain, "12:34Z"),
	      "more comes out than the question asks for");
	prove_bound(KH_FORMAT_TIME, plain, (long double)minutes);
	prove_bound(KH_FORMAT_TIME, every, (long double)seconds * (long double)zones);
	prove_bound(KH_FORMAT_DATETIME, plain, (long double)minutes * (long double)days);
	prove_bound(KH_FORMAT_DATETIME, every, (long double)seconds * (long double)zones * (long double)days);
}

static const struct kh_closed_row countries[] = {
#include "core/bcp/country.def"
};
static const struct kh_closed_row languages[] = {
#include "core/bcp/language.def"
};
#define KH_CURRENCY(code, digits, symbols, words) code,
static const size_t currencies = sizeof((const char *const[]){
#include "core/bcp/currency.def"
				 }) /
				 sizeof(const char *);

static void prove_list(enum kh_format format, const struct kh_closed_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		PROVE(is_form(format, plain, "%.*s", KH_FMT(rows[i].name)), "%.*s", KH_FMT(rows[i].name));
		for (size_t j = 0; j < i; j++)
			PROVE(!kh_view_eq(rows[i].name, rows[j].name), "%.*s twice", KH_FMT(rows[i].name));
	}
	prove_bound(format, plain, (long double)count);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The forms of all numbers of at most DIGITS digits and as many places, by enumeration. */
static uint64_t count_numbers(unsigned digits)
{
	static char texts[2 * 10000 * 5][16];
	int64_t limit = 1;
	size_t n = 0, distinct = 0;

	for (unsigned i = 0; i < digits; i++)
		limit *= 10;
	for (unsigned places = 0; places <= digits; places++) {
		for (int64_t value = 1 - limit; value < limit; value++) {
			struct kh_view text = kh_number_write(&arena, (struct kh_number){value, places}, 0);
			PROVE(text.n > 0 && text.n < sizeof(texts[0]), "a text of %zu bytes", text.n);
			memcpy(texts[n], text.p, text.n);
			texts[n++][text.n] = '\0';
			kh_arena_clear(&arena);
		}
	}
	qsort(texts, n, sizeof(texts[0]), compare_texts);
	for (size_t i = 0; i < n; i++)
		distinct += i == 0 || strcmp(texts[i], texts[i - 1]) != 0;
	return distinct;
}

/* All whole numbers, and for each number of places those whose last digit is not 0. */
static long double all_numbers(unsigned digits)
{
	long double power = powl(10, (long double)digits);

	return 2 * power - 1 + (long double)digits * 2 * 9 * (power / 10);
}

static void prove_numbers(void)
{
	for (unsigned digits = 1; digits <= 4; digits++)
		PROVE((long double)count_numbers(digits) == all_numbers(digits), "numbers of %u digits", digits);
	PROVE(is_form(KH_FORMAT_NUMBER, plain, "999999999999999999") &&
		      !is_form(KH_FORMAT_NUMBER, plain, "1000000000000000000"),
	      "more than 18 digits");
	PROVE(!is_form(KH_FORMAT_NUMBER, plain, "0.1234567890123456789"), "more than 18 places");
	prove_bound(KH_FORMAT_NUMBER, plain, 2 * all_numbers(18));
	prove_bound(KH_FORMAT_AMOUNT, plain, all_numbers(18) * (long double)currencies);
	PROVE(is_form(KH_FORMAT_INTEGER, plain, "9007199254740992") &&
		      is_form(KH_FORMAT_INTEGER, plain, "-9007199254740992") &&
		      !is_form(KH_FORMAT_INTEGER, plain, "9007199254740993") &&
		      !is_form(KH_FORMAT_INTEGER, plain, "-9007199254740993"),
	      "an integer is within 2^53");
	prove_bound(KH_FORMAT_INTEGER, plain, powl(2, 54) + 1);
}

static void prove_phones(void)
{
	long double digits = 0, extensions = 1;

	for (int n = 5; n <= 15; n++)
		digits += powl(10, (long double)n);
	for (int n = 1; n <= 6; n++)
		extensions += powl(10, (long double)n);
	PROVE(is_form(KH_FORMAT_PHONE, plain, "12345") && is_form(KH_FORMAT_PHONE, plain, "+123456789012345 x123456") &&
		      !is_form(KH_FORMAT_PHONE, plain, "1234") &&
		      !is_form(KH_FORMAT_PHONE, plain, "1234567890123456") &&
		      !is_form(KH_FORMAT_PHONE, plain, "12345 x1234567"),
	      "a telephone number has 5 to 15 digits, and an extension of 1 to 6");
	prove_bound(KH_FORMAT_PHONE, plain, 2 * digits * extensions);
}

int main(void)
{
	uint64_t days, dates;

	kh_arena_init(&arena, &kh_alloc_system, 1 << 16);
	dates = count_dates(&days);
	prove_bound(KH_FORMAT_DATE, plain, (long double)dates);
	prove_times(days);
	prove_list(KH_FORMAT_COUNTRY, countries, sizeof(countries) / sizeof(countries[0]));
	prove_list(KH_FORMAT_LANGUAGE, languages, sizeof(languages) / sizeof(languages[0]));
	PROVE(is_form(KH_FORMAT_YES_NO, plain, "yes") && is_form(KH_FORMAT_YES_NO, plain, "no"), "yes and no");
	prove_bound(KH_FORMAT_YES_NO, plain, 2);
	prove_numbers();
	prove_phones();
	kh_arena_done(&arena);
	return 0;
}
