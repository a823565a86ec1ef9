/* E9: what comes out of any bytes is UTF-8, with U+FFFD for what was none. */
#include "worker/text/recode.h"

#include "base/utf8.h"
#include "worker/text/charset.h"

#include "harness.h"

#define BAD "\xef\xbf\xbd"

static struct kh_view recode(struct kh_test *t, const char *charset, struct kh_view bytes)
{
	static struct kh_recode all;
	struct kh_view text;
	struct kh_buf out;

	if (all.count == 0)
		kh_recode_init(&all);
	kh_buf_init(&out, &t->arena, 4 * bytes.n + 16);
	kh_recode_add(&all, charset, bytes, &out);
	must(t, kh_buf_end(&out, &text));
	assert_int_equal(kh_utf8_invalid(text), SIZE_MAX);
	return text;
}

static void test_charsets(struct kh_test *t)
{
	assert_view(recode(t, "CP1252", KH_LIT("caf\xe9 \x80")), "caf\xc3\xa9 \xe2\x82\xac");
	assert_view(recode(t, "CP1251", KH_LIT("\xcf\xf0")), "\xd0\x9f\xd1\x80");
	assert_view(recode(t, "CP932", KH_LIT("\x93\xfa")), "\xe6\x97\xa5");
	assert_view(recode(t, "UTF-16LE", KH_LIT("a\0\xac\x20")), "a\xe2\x82\xac");
	assert_view(recode(t, "UTF-8", KH_LIT("\xe2\x82\xac")), "\xe2\x82\xac");
}

static void test_broken(struct kh_test *t)
{
	assert_view(recode(t, "UTF-8",
			   KH_LIT("a\xff"
				  "b\xc3")),
		    "a" BAD "b" BAD);
	assert_view(recode(t, "UTF-8", KH_LIT("\xed\xa0\x80x")), BAD "x"); /* a surrogate */
	assert_view(recode(t, "CP1252", KH_LIT("a\x81z")), "a" BAD "z");
	assert_view(recode(t, "CP932", KH_LIT("x\x93")), "x" BAD);
	assert_view(recode(t, "UTF-16LE", KH_LIT("a\0\0\xd8")), "a" BAD BAD);
	assert_view(recode(t, "NO-SUCH", KH_LIT("a\xff")), "a" BAD);
}

/* Every converter, over all bytes, many times. */
static void test_all_bytes(struct kh_test *t)
{
	char bytes[1024];
	const char *name;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7 + i / 256);
	for (size_t i = 0; (name = kh_charset_at(i)) != NULL; i++)
		(void)recode(t, name, kh_view_of(bytes, sizeof(bytes)));
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_charsets),
	KH_TEST_ONCE(test_broken),
	KH_TEST_ONCE(test_all_bytes),
};

KH_TEST_MAIN(cases)
