#include "base/utf8.h"
#include "harness.h"

/* Every scalar value goes out and comes back; nothing else is accepted. */
static void test_every_character(struct kh_test *t)
{
	(void)t;
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		char p[4];
		uint32_t back = 0;
		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		size_t n = kh_utf8_encode(c, p);
		assert_int_equal(kh_utf8_decode(kh_view_of(p, n), 0, &back), n);
		assert_int_equal(back, c);
		if (n > 1)
			assert_int_equal(kh_utf8_decode(kh_view_of(p, n - 1), 0, &back), 0);
		assert_false(kh_utf8_is_plain(c) && kh_utf8_is_invisible(c));
	}
}

static void test_invalid(struct kh_test *t)
{
	(void)t;
	static const struct kh_view bad[] = {KH_LIT_INIT("ab\x80"),         KH_LIT_INIT("ab\xc0\x80"),
					     KH_LIT_INIT("ab\xed\xa0\x80"), KH_LIT_INIT("ab\xf4\x90\x80\x80"),
					     KH_LIT_INIT("ab\xe2\x82"),     KH_LIT_INIT("ab\xc1\xbf"),
					     KH_LIT_INIT("ab\xe0\x9f\xbf"), KH_LIT_INIT("ab\xf0\x8f\xbf\xbf"),
					     KH_LIT_INIT("ab\xff")};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(kh_utf8_invalid(bad[i]), 2);
	assert_int_equal(kh_utf8_invalid(KH_LIT("caf\xc3\xa9")), SIZE_MAX);
	assert_int_equal(kh_utf8_length(KH_LIT("caf\xc3\xa9")), 4);
	assert_view(kh_utf8_cut(KH_LIT("caf\xc3\xa9s"), 4), "caf");
	assert_view(kh_utf8_cut(KH_LIT("caf\xc3\xa9s"), 5), "caf\xc3\xa9");
	assert_view(kh_utf8_cut(KH_LIT("caf\xc3\xa9s"), 100), "caf\xc3\xa9s");
	assert_view(kh_utf8_cut(KH_LIT("\xc3\xa9"), 1), "");
	assert_true(kh_utf8_is_ascii(KH_LIT("0123456789")));
	assert_false(kh_utf8_is_ascii(KH_LIT("012345678\xc3\xa9")));
}

/* B17: what never comes out. */
static void test_classes(struct kh_test *t)
{
	(void)t;
	static const uint32_t invisible[] = {0,      7,      0x7f,   0xad,   0x200b,  0x200d,  0x202e,
					     0x2060, 0x2066, 0xfeff, 0xfe0f, 0xe0041, 0xe0100, 0xe000,
					     0x3164, 0x115f, 0x180e, 0x2800, 0xfff9,  0x1d173};
	for (size_t i = 0; i < sizeof(invisible) / sizeof(invisible[0]); i++)
		assert_true(kh_utf8_is_invisible(invisible[i]));
	assert_true(kh_utf8_is_plain('a') && kh_utf8_is_plain(' ') && kh_utf8_is_plain(0x142) &&
		    kh_utf8_is_plain(0x4e2d));
	assert_false(kh_utf8_is_plain(0xa0) || kh_utf8_is_plain(0x301) || kh_utf8_is_plain(0x2028));
	assert_true(kh_utf8_is_space(0xa0) && kh_utf8_is_space(0x3000) && kh_utf8_is_space('\v'));
	assert_false(kh_utf8_is_space(0x200b));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_every_character), KH_TEST(test_invalid),
					    KH_TEST(test_classes)};
KH_TEST_MAIN(cases)
