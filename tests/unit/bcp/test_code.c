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
	assert_int_equal(bits("42", 1), 1 + 2 * 9 + 5);
	assert_int_equal(bits("2026", 1), 1 + 10 + 4 * 5 + 5); /* by the page for digits */
	assert_int_equal(bits("USD", 1), 1 + 10 + 3 * 14 + 5); /* capitals: ASCII of another page */
	assert_int_equal(bits("@", 1), 1 + 9 + 5);
	assert_int_equal(bits("%", 1), 1 + 10 + 5);
	assert_int_equal(bits("\xc3\xbc", 1), 1 + 11 + 5);
	assert_int_equal(bits("\xc5\x82", 1), 1 + 13 + 5);
	assert_int_equal(bits("\xf0\x9f\x98\x80", 1), 1 + 26 + 5);
}

/* B7: scripts have cheap pages, and a page stays in force over words until another is needed. */
static void test_scripts(struct kh_test *t)
{
	(void)t;
	assert_int_equal(bits("\xd0\xb4\xd0\xb0", 1), 1 + 10 + 2 * 5 + 5);               /* da */
	assert_int_equal(bits("\xd0\xb4\xd0\xb0 \xd0\xb4\xd0\xb0", 2), 1 + 2 * 16 + 10); /* da da */
	assert_int_equal(bits("\xd0\xb4\xd0\xb0 zq", 2), 1 + 26 + 1 + 12 + 2 * 5 + 5);   /* and back */
	assert_int_equal(bits("\xd0\xb4\xd0\xb0 about", 2), 1 + 26 + 12);                /* not for a listed word */
	assert_int_equal(bits("\xd1\x84", 1), 1 + 10 + 13 + 5);                          /* a rare letter */
	assert_int_equal(bits("\xd0\xb4,", 1), 1 + 10 + 5 + 14 + 5);                     /* ASCII in between */
	assert_int_equal(bits("\xe4\xb8\xad\xe6\x96\x87", 1), 1 + 10 + 2 * 15 + 15);     /* two characters */
	assert_int_equal(bits("\xed\x95\x9c\xea\xb8\x80", 1), 1 + 10 + 2 * 14 + 14);     /* two syllables */
	assert_int_equal(bits("\xe3\x81\x8b\xe6\xbc\xa2\xe3\x81\x8b", 1),
			 1 + 10 + 8 + 15 + 15 + 15 + 15); /* kana, kanji, kana */
}

/* More words than allowed for (a canonical form): the last word takes the rest, blanks spelled. */
static void test_overflow(struct kh_test *t)
{
	(void)t;
	assert_int_equal(bits("zq zq", 1), 1 + 2 * 10 + 26 + 5);
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

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_lengths), KH_TEST_ONCE(test_scripts),
					    KH_TEST_ONCE(test_overflow), KH_TEST_ONCE(test_list)};
KH_TEST_MAIN(cases)
