#include "core/bcp/bound.h"

#include "core/bcp/bits.h"
#include "core/bcp/code.h"
#include "harness.h"

static const struct kh_format_detail plain;

/* B7: base + rate * words, up to the format's own limit of words; finite formats do not depend on words at all. */
static void test_words(struct kh_test *t)
{
	(void)t;
	for (unsigned words = 1; words < 50; words++) {
		for (int f = 0; f < KH_FORMAT_COUNT; f++) {
			enum kh_format format = (enum kh_format)f;
			uint64_t one = kh_bound_answer(format, plain, words),
				 more = kh_bound_answer(format, plain, words + 1);
			assert_true(one > 0 && more >= one);
			assert_true(words < kh_format_words(format) || more == one);
		}
	}
	assert_int_equal(kh_bound_answer(KH_FORMAT_SHORT_TEXT, plain, 2) -
				 kh_bound_answer(KH_FORMAT_SHORT_TEXT, plain, 1),
			 64 * KH_MICROBIT);
	assert_int_equal(kh_bound_answer(KH_FORMAT_YES_NO, plain, 1), KH_MICROBIT);
	assert_int_equal(kh_bound_summary(100), 6550 * KH_MICROBIT);
}

/* B7: an answer is within its bound if and only if its code is, to the bit. */
static void test_holds(struct kh_test *t)
{
	char text[64];
	size_t fits = 0;

	(void)t;
	/* One word of short_text has 214 bits: a flag, 41 letters of 5, the terminator; not one letter more. */
	memset(text, 'q', sizeof(text));
	while (kh_bound_holds(KH_FORMAT_SHORT_TEXT, kh_view_of(text, fits + 1), 1))
		fits++;
	assert_int_equal(fits, (214 - 6) / 5);
	assert_true(kh_code_length(kh_view_of(text, fits), 1) <= kh_bound_answer(KH_FORMAT_SHORT_TEXT, plain, 1));
	assert_true(kh_code_length(kh_view_of(text, fits + 1), 1) > kh_bound_answer(KH_FORMAT_SHORT_TEXT, plain, 1));
	/* A finite format's grammar is its bound. */
	assert_true(kh_bound_holds(KH_FORMAT_AMOUNT, KH_LIT("123456789012345678.00 USD"), 1));
}

/* B7: seconds and zones are counted if the question asks for them. */
static void test_detail(struct kh_test *t)
{
	struct kh_format_detail zone = {.zone = true}, seconds = {.seconds = true};

	(void)t;
	assert_int_equal(kh_bound_answer(KH_FORMAT_TIME, plain, 5), kh_bits_log2(1440));
	assert_int_equal(kh_bound_answer(KH_FORMAT_TIME, seconds, 5), kh_bits_log2(1440 * 61));
	assert_int_equal(kh_bound_answer(KH_FORMAT_TIME, zone, 5), kh_bits_log2(1440 * 114));
	assert_int_equal(kh_bound_answer(KH_FORMAT_DATE, zone, 5), kh_bound_answer(KH_FORMAT_DATE, plain, 5));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_words), KH_TEST_ONCE(test_holds),
					    KH_TEST_ONCE(test_detail)};
KH_TEST_MAIN(cases)
