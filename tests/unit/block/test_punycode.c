#include "base/utf8.h"
#include "core/block/punycode.h"
#include "harness.h"

static void decodes(const char *label, const char *want)
{
	uint32_t chars[KH_PUNYCODE_MAX];
	char text[4 * KH_PUNYCODE_MAX];
	size_t n = 0, count = kh_punycode_decode(kh_view_str(label), chars);

	for (size_t i = 0; i < count; i++)
		n += kh_utf8_encode(chars[i], text + n);
	assert_view(kh_view_of(text, n), want);
}

/* K7: hosts written in Punycode are the hosts that they stand for (vectors of RFC 3492, 7.1, and of everyday). */
static void test_vectors(struct kh_test *t)
{
	(void)t;
	decodes("bcher-kva", "b\u00fccher");
	decodes("mnchen-3ya", "m\u00fcnchen");
	decodes("80ak6aa92e", "\u0430\u0440\u0440\u04cf\u0435");
	decodes("egbpdaj6bu4bxfgehfvwxn",
		"\u0644\u064a\u0647\u0645\u0627\u0628\u062a\u0643\u0644\u0645\u0648\u0634\u0639"
		"\u0631\u0628\u064a\u061f");
	decodes("ihqwcrb4cv8a8dqg056pqjye", "\u4ed6\u4eec\u4e3a\u4ec0\u4e48\u4e0d\u8bf4\u4e2d\u6587");
	decodes("d9juau41awczczp", "\u305d\u306e\u30b9\u30d4\u30fc\u30c9\u3067");
}

/* What is no label is none: not cut short, not read past its end. */
static void test_refused(struct kh_test *t)
{
	static const char *const bad[] = {"", "-", "!", "a-!", "99999999999", "\xc3\xbc-kva", "b-kvz9999999999"};
	char longest[200];
	uint32_t chars[KH_PUNYCODE_MAX];

	(void)t;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(kh_punycode_decode(kh_view_str(bad[i]), chars), 0);
	memset(longest, 'a', sizeof(longest));
	assert_int_equal(kh_punycode_decode(kh_view_of(longest, sizeof(longest)), chars), 0);
}

static const struct kh_test_case cases[] = {KH_TEST(test_vectors), KH_TEST(test_refused)};
KH_TEST_MAIN(cases)
