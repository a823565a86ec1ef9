/* E9: text in UTF-16 is recognized and converted, whatever else is in it. */
#include "harness.h"
#include "worker/text/utf16.h"

static void test_find(struct kh_test *t)
{
	static const struct {
		struct kh_view bytes;
		enum kh_utf16 order;
		size_t mark;
	} cases[] = {
		{KH_LIT_INIT(""), KH_UTF16_NOT, 0},
		{KH_LIT_INIT("\xff\xfe"), KH_UTF16_LITTLE, 2},
		{KH_LIT_INIT("\xfe\xff"), KH_UTF16_BIG, 2},
		{KH_LIT_INIT("\xff\xfe\xe9\0"), KH_UTF16_LITTLE, 2},
		{KH_LIT_INIT("\xff\xfe\0\0a\0\0\0"), KH_UTF16_NOT, 2}, /* UTF-32 */
		{KH_LIT_INIT("\0\0\xfe\xff\0\0\0a"), KH_UTF16_NOT, 2},
		{KH_LIT_INIT("a\0b\0c\0\n\0"), KH_UTF16_LITTLE, 0},
		{KH_LIT_INIT("\0a\0b\0c\0\n"), KH_UTF16_BIG, 0},
		{KH_LIT_INIT("a\0b\0c\0\xe9\0"), KH_UTF16_LITTLE, 0},
		{KH_LIT_INIT("a\0b\0\x01\0\xe9\0"), KH_UTF16_NOT, 0}, /* half of it */
		{KH_LIT_INIT("a\0b\0c\0d\0\0\0"), KH_UTF16_NOT, 0},   /* with a NUL */
		{KH_LIT_INIT("a\0b\0c\0d\0e"), KH_UTF16_NOT, 0},      /* odd */
		{KH_LIT_INIT("a\0b\0c\0"), KH_UTF16_NOT, 0},          /* too short to tell */
		{KH_LIT_INIT("plain text in eight bits"), KH_UTF16_NOT, 0},
		{KH_LIT_INIT("caf\xc3\xa9 caf\xc3\xa9"), KH_UTF16_NOT, 0},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t mark;
		assert_int_equal(kh_utf16_find(cases[i].bytes, &mark), cases[i].order);
		if (cases[i].order != KH_UTF16_NOT)
			assert_int_equal(mark, cases[i].mark);
	}
}

static void test_add(struct kh_test *t)
{
	static const struct {
		enum kh_utf16 order;
		struct kh_view bytes;
		const char *want;
	} cases[] = {
		{KH_UTF16_LITTLE, KH_LIT_INIT("a\0\xe9\0\xac\x20"), "a\xc3\xa9\xe2\x82\xac"},
		{KH_UTF16_BIG, KH_LIT_INIT("\0a\0\xe9\x20\xac"), "a\xc3\xa9\xe2\x82\xac"},
		{KH_UTF16_LITTLE, KH_LIT_INIT("\x3d\xd8\x00\xde!\0"), "\xf0\x9f\x98\x80!"},
		{KH_UTF16_BIG, KH_LIT_INIT("\xd8\x3d\xde\x00\0!"), "\xf0\x9f\x98\x80!"},
		{KH_UTF16_LITTLE, KH_LIT_INIT("\x3d\xd8x\0"), "\xef\xbf\xbdx"}, /* a first half alone */
		{KH_UTF16_LITTLE, KH_LIT_INIT("\x00\xdex\0"), "\xef\xbf\xbdx"}, /* a second half alone */
		{KH_UTF16_LITTLE, KH_LIT_INIT("x\0\x3d\xd8"), "x\xef\xbf\xbd"}, /* at the end */
		{KH_UTF16_LITTLE, KH_LIT_INIT("x\0y"), "x\xef\xbf\xbd"},        /* an odd byte */
		{KH_UTF16_LITTLE, KH_LIT_INIT(""), ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kh_view text;
		struct kh_buf buf;

		kh_buf_init(&buf, &t->arena, 2 * cases[i].bytes.n + 8);
		kh_utf16_add(cases[i].order, cases[i].bytes, &buf);
		must(t, kh_buf_end(&buf, &text));
		assert_view(text, cases[i].want);
	}
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_find), KH_TEST(test_add)};
KH_TEST_MAIN(cases)
