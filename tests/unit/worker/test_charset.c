/* E9: which charset a text is in, whoever says so. */
#include "worker/text/charset.h"

#include "harness.h"

static void test_labels(struct kh_test *t)
{
	(void)t;
	assert_string_equal(kh_charset_find(KH_LIT("UTF8")), "UTF-8");
	assert_string_equal(kh_charset_find(KH_LIT(" Latin1 ")), "CP1252"); /* as browsers take it */
	assert_string_equal(kh_charset_find(KH_LIT("gb2312")), "GB18030");
	assert_string_equal(kh_charset_find(KH_LIT("Shift_JIS")), "CP932");
	assert_null(kh_charset_find(KH_LIT("")));
	assert_null(kh_charset_find(KH_LIT("utf-7")));
	assert_null(kh_charset_find(KH_LIT("iso-2022-cn-ext")));
	assert_null(kh_charset_find(kh_view_of("utf-8\0", 6)));
}

static void test_order(struct kh_test *t)
{
	static const struct {
		const char *type, *bytes;
		bool html;
		const char *want;
		size_t mark;
	} cases[] = {
		{"", "plain", false, "UTF-8", 0},
		{"text/html; charset=iso-8859-2", "x", true, "ISO-8859-2", 0},
		{"text/html; charset=\"koi8-r\"", "x", true, "KOI8-R", 0},
		{"text/html; charset=nonsense", "<meta charset=koi8-r>", true, "KOI8-R", 0},
		{"", "<meta charset='windows-1251'>", true, "CP1251", 0},
		{"", "<META http-equiv=Content-Type content=\"text/html; CharSet = euc-jp\">", true, "EUC-JP", 0},
		{"", "<meta charset=koi8-r>", false, "UTF-8", 0}, /* not a page */
		{"", "<meta charset=utf-16>", true, "UTF-8", 0},  /* it could not be read so */
		{"charset=koi8-r", "\xef\xbb\xbfx", true, "UTF-8", 3},
		{"charset=koi8-r", "\xff\xfex", true, "UTF-16LE", 2},
		{"", "\xfe\xff", false, "UTF-16BE", 2},
		{"", "charset", true, "UTF-8", 0},
		{"", "charset=", true, "UTF-8", 0},
		{"", "charset=\"\" charset charset==x", true, "UTF-8", 0},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t mark = 99;
		assert_string_equal(
			kh_charset_of(kh_view_str(cases[i].type), kh_view_str(cases[i].bytes), cases[i].html, &mark),
			cases[i].want);
		assert_int_equal(mark, cases[i].mark);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_labels),
	KH_TEST_ONCE(test_order),
};

KH_TEST_MAIN(cases)
