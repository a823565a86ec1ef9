/* What comm.show says, for human eyes. */
#include "cli/comms_show.h"

#include "harness.h"

static struct kh_view shown(struct kh_test *t, const char *json)
{
	yyjson_val *root = NULL;
	struct kh_view text = {NULL, 0};
	struct kh_buf buf;

	must(t, kh_json_read(&t->arena, kh_view_str(json), &root, &t->err));
	kh_buf_init(&buf, &t->arena, 1U << 16);
	kh_comms_show_write(&buf, root, 80);
	must(t, kh_buf_end(&buf, &text));
	must(t, kh_arena_check(&t->arena));
	return text;
}

static bool has(struct kh_view text, const char *part)
{
	return kh_view_find(text, kh_view_str(part), 0) != SIZE_MAX;
}

/* I6: what is Keyhole's own is a table; everything is there. */
static void test_own(struct kh_test *t)
{
	struct kh_view text = shown(t,
				    "{\"id\":\"d0123456789abcdef\",\"operation\":\"comm.fetch\",\"state\":\"failed\","
				    "\"reason\":\"timeout\",\"egress_bytes\":26,\"screened\":true,"
				    "\"parameters\":{\"url\":\"https://example.com/\",\"more\":[1,2]}}");

	assert_true(has(text, "declaration  d0123456789abcdef\n"));
	assert_true(has(text, "state        failed\n"));
	assert_true(has(text, "screened     yes\n"));
	assert_true(has(text, "---- parameters ----\n"));
	assert_true(has(text, "    1 | url: https://example.com/\n"));
	assert_true(has(text, "    2 | more: [1,2]\n"));
}

/* E12, I6: the world's words stand behind a bar, and can neither steer a terminal nor pass for Keyhole's. */
static void test_hostile(struct kh_test *t)
{
	struct kh_view text = shown(t, "{\"id\":\"d0123456789abcdef\",\"result\":{\"said\":\"\\u001b[2J\\u202egpj\\n"
				       "state        ok\\n---- parameters ----\",\"\\u001b]0;x\\u0007\":1},"
				       "\"host\":\"a\\nstate        ok\"}");

	assert_int_equal(kh_view_find(text, KH_LIT("\x1b"), 0), SIZE_MAX);
	assert_int_equal(kh_view_find(text, KH_LIT("\xe2\x80\xae"), 0), SIZE_MAX);
	assert_true(has(text, "said: \\u{1b}[2J\\u{202e}gpj\n"));
	assert_false(has(text, "\nstate        ok"));
	assert_false(has(text, "\n---- parameters"));
}

static const struct kh_test_case cases[] = {KH_TEST(test_own), KH_TEST(test_hostile)};
KH_TEST_MAIN(cases)
