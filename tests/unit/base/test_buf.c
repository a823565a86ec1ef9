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

static const struct kh_test_case cases[] = {KH_TEST(test_append), KH_TEST(test_limit)};
KH_TEST_MAIN(cases)
