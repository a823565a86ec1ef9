/* E9: text as lines: no control character, blanks that mean nothing made one. */
#include "worker/text/lines.h"

#include "harness.h"

static void test_flow(struct kh_test *t)
{
	struct kh_lines lines;
	struct kh_view text;
	struct kh_buf out;

	kh_buf_init(&out, &t->arena, 1000);
	kh_lines_init(&lines, &out);
	kh_lines_break(&lines, 2); /* nothing stands above it */
	kh_lines_flow(&lines, KH_LIT("  a \n\t b"));
	kh_lines_flow(&lines, KH_LIT(" "));
	kh_lines_break(&lines, 1);
	kh_lines_break(&lines, 2);
	kh_lines_break(&lines, 1);
	kh_lines_flow(&lines, kh_view_of(" c\0\x01\x7f\xc2\x85"
					 "d ",
					 9));
	kh_lines_tab(&lines);
	kh_lines_flow(&lines, KH_LIT(" e"));
	kh_lines_break(&lines, 2);
	must(t, kh_buf_end(&out, &text));
	assert_view(text, "a b\n\ncd\te");
}

static void test_keep(struct kh_test *t)
{
	struct kh_lines lines;
	struct kh_view text;
	struct kh_buf out;

	kh_buf_init(&out, &t->arena, 1000);
	kh_lines_init(&lines, &out);
	kh_lines_flow(&lines, KH_LIT("x"));
	kh_lines_break(&lines, 1);
	kh_lines_keep(&lines, KH_LIT("  a\r\n\tb\rc\x1b[0m\fd\xff\n\n"));
	must(t, kh_buf_end(&out, &text));
	assert_view(text, "x\n  a\n\tb\nc[0m\nd\xef\xbf\xbd\n\n");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_flow),
	KH_TEST(test_keep),
};

KH_TEST_MAIN(cases)
