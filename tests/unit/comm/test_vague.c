#include "core/comm/vague.h"
#include "harness.h"

static struct kh_vague measure(struct kh_test *t, const char *text)
{
	struct kh_vague vague = {0};

	must(t, kh_vague_measure(&t->arena, kh_view_str(text), &vague));
	return vague;
}

/* E3: a justification says something. */
static void test_telling(struct kh_test *t)
{
	static const char *const all[] = {
		"Need product pricing data for customer query",
		"What does Product X cost in 2026?",
		"Summarize results for the user",
		"Compare both offers in a table",
		"I do not know today's exchange rate",
		"\xe9\x9c\x80\xe8\xa6\x81\xe4\xba\xa7\xe5\x93\x81\xe4\xbb\xb7\xe6\xa0\xbc\xe6\x95\xb0\xe6\x8d\xae",
		"\xd0\x9d\xd1\x83\xd0\xb6\xd0\xbd\xd1\x8b \xd1\x86\xd0\xb5\xd0\xbd\xd1\x8b",
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (measure(t, all[i]).telling < KH_VAGUE_TELLING)
			fail_msg("called vague: %s", all[i]);
	}
}

/* E3: more than filler words, however they are written. */
static void test_filler(struct kh_test *t)
{
	static const char *const all[] = {
		"",
		"stuff",
		"need data",
		"because",
		"because I need it",
		"I need some information please",
		"something to help the user",
		"to help the user with their request",
		"NEED MORE INFO",
		"n\xe2\x80\x8b\x65\x65\x64 more in\xc2\xad\x66o",
		"\xef\xbd\x8e\xef\xbd\x85\xef\xbd\x85\xef\xbd\x84 data",
		"pricing pricing pricing PRICING",
		"aaaaaaaaaa bbbbbbbbbbbb",
		"x y z u v w a b c d",
		"............ !!!!!!!",
		"to answer the user's question",
		"for research purposes",
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (measure(t, all[i]).telling >= KH_VAGUE_TELLING)
			fail_msg("not called vague: %s", all[i]);
	}
}

static void test_counts(struct kh_test *t)
{
	struct kh_vague vague = measure(t, "  Product \xe2\x80\x8bX,  product\tY2  ");
	char many[64 * 4 + 1] = "";

	assert_int_equal(vague.characters, 21);
	assert_int_equal(vague.words, 4);
	assert_int_equal(vague.telling, 2);
	/* Five invisible characters are no characters. */
	assert_int_equal(measure(t, "a\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8bz").characters, 2);
	for (int i = 0; i < 64; i++) {
		many[i * 4] = (char)('a' + i % 26);
		many[i * 4 + 1] = (char)('b' + i / 26);
		many[i * 4 + 2] = 'q';
		many[i * 4 + 3] = ' ';
	}
	vague = measure(t, many);
	assert_int_equal(vague.words, 64);
	assert_true(vague.telling >= KH_VAGUE_TELLING);
}

static const struct kh_test_case cases[] = {KH_TEST(test_telling), KH_TEST(test_filler), KH_TEST(test_counts)};
KH_TEST_MAIN(cases)
