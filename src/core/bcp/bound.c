/*
 * Counts the canonical forms of the finite formats, and has the bases and rates of the others.  A count is a product
 * whose factors may not fit into 64 bits together; their logarithms are rounded up one by one, so the sum is a bound
 * too.  tests/unit/bcp/test_bound.c counts the forms again by enumeration.
 */
#include "core/bcp/bound.h"

#include "core/bcp/bits.h"
#include "core/bcp/code.h"
#include "core/bcp/country.h"
#include "core/bcp/currency.h"
#include "core/bcp/language.h"

/* Days of the years 1000 to 9999, of which 2,182 are leap years; days and months without a year; months of a year. */
#define DAYS      (9000U * 365 + 2182)
#define YEARLESS  366U
#define MONTHS    (9000U * 12)
#define MINUTES   (24U * 60)
#define SECONDS   61U  /* one of 60, or none */
#define ZONES     114U /* quarters of an hour from -14:00 to +14:00, or none */
#define INTEGERS  ((UINT64_C(1) << 54) + 1)
#define PHONES    UINT64_C(1111111111100000) /* of 5 to 15 digits; each with or without + */
#define EXTENSION 1111111U                   /* of 1 to 6 digits, or none */

/*
 * Numbers of at most 18 digits: 2 * 10^18 - 1 whole ones, and for each of 18 places 2 * 9 * 10^17 whose last digit is
 * not 0.  The quarter of that, rounded up, fits into 64 bits.
 */
#define NUMBERS_QUARTER (UINT64_C(500000000000000000) + 18 * UINT64_C(450000000000000000))
#define NUMBERS         (2 * KH_MICROBIT + kh_bits_log2(NUMBERS_QUARTER))

static uint64_t clock_bits(struct kh_format_detail detail)
{
	return kh_bits_log2((uint64_t)MINUTES * (detail.seconds ? SECONDS : 1) * (detail.zone ? ZONES : 1));
}

/*
 * In bits.  So chosen that 99 of 100 honest answers fit, in each of the common scripts and for each number of words
 * (tools/eval-bounds measures it).
 */
static const struct rate {
	unsigned base, word;
} rates[KH_FORMAT_COUNT] = {
	[KH_FORMAT_PERSON_NAME] = {80, 50}, [KH_FORMAT_EMAIL] = {250, 0},       [KH_FORMAT_IDENTIFIER] = {255, 10},
	[KH_FORMAT_SHORT_LIST] = {150, 70}, [KH_FORMAT_SHORT_TEXT] = {150, 64},
};
static const struct rate summary = {350, 62};

static uint64_t open_bits(struct rate rate, unsigned words)
{
	return (rate.base + (uint64_t)rate.word * words) * KH_MICROBIT;
}

static unsigned words_of(enum kh_format format, unsigned max_words)
{
	unsigned own = kh_format_words(format);

	return max_words < own ? max_words : own;
}

uint64_t kh_bound_answer(enum kh_format format, struct kh_format_detail detail, unsigned max_words)
{
	switch (format) {
	case KH_FORMAT_DATE:
		return kh_bits_log2(DAYS + MONTHS + YEARLESS);
	case KH_FORMAT_TIME:
		return clock_bits(detail);
	case KH_FORMAT_DATETIME:
		return kh_bits_log2(DAYS + YEARLESS) + clock_bits(detail);
	case KH_FORMAT_PHONE:
		return KH_MICROBIT + kh_bits_log2(PHONES) + kh_bits_log2(EXTENSION);
	case KH_FORMAT_INTEGER:
		return kh_bits_log2(INTEGERS);
	case KH_FORMAT_NUMBER:
		return NUMBERS + KH_MICROBIT; /* with or without a percent sign */
	case KH_FORMAT_AMOUNT:
		return NUMBERS + kh_bits_log2(kh_currency_count());
	case KH_FORMAT_YES_NO:
		return KH_MICROBIT;
	case KH_FORMAT_COUNTRY:
		return kh_bits_log2(kh_country_count());
	case KH_FORMAT_LANGUAGE:
		return kh_bits_log2(kh_language_count());
	case KH_FORMAT_PERSON_NAME:
	case KH_FORMAT_EMAIL:
	case KH_FORMAT_IDENTIFIER:
	case KH_FORMAT_SHORT_LIST:
	case KH_FORMAT_SHORT_TEXT:
	case KH_FORMAT_COUNT:
		break;
	}
	return open_bits(rates[format], words_of(format, max_words));
}

uint64_t kh_bound_summary(unsigned max_words)
{
	return open_bits(summary, max_words);
}

bool kh_bound_holds(enum kh_format format, struct kh_view text, unsigned max_words)
{
	/* A finite format's grammar is its bound. */
	if (rates[format].base == 0)
		return true;
	max_words = words_of(format, max_words);
	return kh_code_length(text, max_words) <= open_bits(rates[format], max_words);
}

bool kh_bound_holds_summary(struct kh_view text, unsigned max_words)
{
	return kh_code_length(text, max_words) <= open_bits(summary, max_words);
}
