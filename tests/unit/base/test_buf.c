#include "base/buf.h"
#include "harness.h"

static void test_append(struct kh_test *t)
{
	struct kh_buf buf;
	struct kh_view v;

	kh_buf_init(&buf, &t->arena, 100000);
	for (int i = 0; i < 1000; i++) {
		kh_buf_lit(&buf, "ab");
		kh_buf_byte(&buf, 'c');
		kh_buf_char(&buf, 0x142);
		kh_buf_printf(&buf, "%d", i % 10);
	}
	must(t, kh_buf_end(&buf, &v));
	assert_int_equal(v.n, 6000);
	assert_view(kh_view_sub(v, 5994, 6000), "abc\xc5\x82"
						"9");
}

static void test_limit(struct kh_test *t)
{
	struct kh_buf buf;
	struct kh_view v;

	kh_buf_init(&buf, &t->arena, 4);
	kh_buf_lit(&buf, "abcd");
	must(t, kh_buf_end(&buf, &v));
	kh_buf_byte(&buf, 'e');
	kh_buf_byte(&buf, 'f');
	must_fail(t, KH_ELIMIT, kh_buf_end(&buf, &v));
	assert_view(v, "abcd");
}

/* Any bytes become text: one replacement for each byte that is none, and nothing else changes. */
static void test_made_fit(struct kh_test *t)
{
	struct kh_buf buf;
	struct kh_view v;

	kh_buf_init(&buf, &t->arena, 1000);
	kh_buf_repair(&buf, KH_LIT("a\xff\xc3\xa9\xe2\x82"));
	kh_buf_repair(&buf, KH_LIT(""));
	kh_buf_percent(&buf, KH_LIT(" a/\xc3~Z0"), "/-");
	must(t, kh_buf_end(&buf, &v));
	assert_view(v, "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd%20a/%C3%7EZ0");
}

static const struct kh_test_case cases[] = {KH_TEST(test_append), KH_TEST(test_limit), KH_TEST(test_made_fit)};
KH_TEST_MAIN(cases)
