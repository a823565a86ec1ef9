#include "core/bcp/code.h"

#include "core/bcp/bits.h"
#include "harness.h"

static uint64_t bits(const char *text, unsigned max_words)
{
	uint64_t microbits = kh_code_length(kh_view_str(text), max_words);

	assert_int_equal(microbits % KH_MICROBIT, 0);
	return microbits / KH_MICROBIT;
}

/* B7: a listed word costs 12 bits, others are spelled; the count is in front. */
static void test_lengths(struct kh_test *t)
{
	(void)t;
	assert_true(kh_code_word(KH_LIT("about")) >= 0);
	assert_int_equal(kh_code_word(KH_LIT("zzzzz")), -1);
	assert_int_equal(kh_code_word(KH_LIT("")), -1);
	assert_int_equal(bits("about", 1), 12);
	assert_int_equal(bits("about", 5), 3 + 12);
	assert_int_equal(bits("about about", 5), 3 + 24);
	assert_int_equal(bits("zqx", 1), 1 + 3 * 5 + 5);
	assert_int_equal(bits("2026", 1), 1 + 4 * 9 + 5);
	assert_int_equal(bits("USD", 1), 1 + 3 * 10 + 5);
	assert_int_equal(bits("@", 1), 1 + 10 + 5);
	assert_int_equal(bits("\xc5\x82", 1), 1 + 21 + 5);
	assert_int_equal(bits("\xf0\x9f\x98\x80", 1), 1 + 25 + 5);
}

/* More words than allowed for (a canonical form): the last word takes the rest, blanks spelled. */
static void test_overflow(struct kh_test *t)
{
	(void)t;
	assert_int_equal(bits("5.00 USD", 1), 1 + 9 + 10 + 9 + 9 + 21 + 30 + 5);
	assert_true(bits("about about about", 2) > bits("about about", 2));
}

/* Every word of the list is found at its own place. */
static void test_list(struct kh_test *t)
{
	(void)t;
	static const char *const some[] = {"a", "able", "about"};
	for (int i = 0; i < 3; i++)
		assert_int_equal(kh_code_word(kh_view_str(some[i])), i);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_lengths), KH_TEST_ONCE(test_overflow),
					    KH_TEST_ONCE(test_list)};
KH_TEST_MAIN(cases)
