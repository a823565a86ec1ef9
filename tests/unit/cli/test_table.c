/* I6: JSON laid out for people.  A value is one line, so that no text makes a row of its own. */
#include "cli/table.h"
#include "harness.h"

static yyjson_val *parse(struct kh_test *t, const char *json)
{
	yyjson_val *root = NULL;

	must(t, kh_json_read(&t->arena, kh_view_str(json), &root, &t->err));
	return root;
}

static void check_list(struct kh_test *t, const char *json, const char *want)
{
	struct kh_view text;
	struct kh_buf buf;

	kh_buf_init(&buf, &t->arena, 4096);
	kh_table_list(&buf, parse(t, json), "ID: id; LEFT: budget.left bits;TITLE: title", "Nothing.");
	must(t, kh_buf_end(&buf, &text));
	must(t, kh_arena_check(&t->arena));
	assert_view(text, want);
}

static void test_table_list(struct kh_test *t)
{
	check_list(t, "[]", "Nothing.\n");
	check_list(t,
		   "[{\"id\":\"t1\",\"budget\":{\"left\":6906892},\"title\":\"a\"},"
		   "{\"id\":\"t23\",\"budget\":{},\"title\":\"\"}]",
		   "ID   LEFT      TITLE\n"
		   "t1   6.9 bits  a\n"
		   "t23  -         -\n");
	/* Letters of any script count as one; a title cannot begin another row or move to another column. */
	check_list(t, "[{\"id\":\"\\u00e4\\u00f6\",\"title\":\"x\\nID\\tforged\\ry\"}]",
		   "ID  LEFT  TITLE\n"
		   "\xc3\xa4\xc3\xb6  -     x\\nID\\tforged\\ry\n");
}

static void test_table_object(struct kh_test *t)
{
	static const char lines[] = "id: id; opened: at time; ended: end time; missing: none; null: null; sealed: yes;"
				    "blocks: list length";
	struct kh_view text;
	struct kh_buf buf;

	kh_buf_init(&buf, &t->arena, 4096);
	kh_table_object(&buf,
			parse(t, "{\"id\":\"t1\",\"at\":\"2026-03-15T14:30:00.123456Z\",\"end\":0,\"null\":null,"
				 "\"yes\":true,\"list\":[1,2]}"),
			lines);
	must(t, kh_buf_end(&buf, &text));
	must(t, kh_arena_check(&t->arena));
	assert_view(text, "id       t1\n"
			  "opened   2026-03-15T14:30:00Z\n"
			  "ended    -\n"
			  "sealed   yes\n"
			  "blocks   2\n");
}

static void test_table_has(struct kh_test *t)
{
	(void)t;
	assert_true(kh_table_has("id: id; in all: bits bits", KH_LIT("bits")));
	assert_false(kh_table_has("id: id; in all: bits bits", KH_LIT("in all")));
	assert_false(kh_table_has("id: id; in all: bits bits", KH_LIT("")));
}

static void test_table_bits(struct kh_test *t)
{
	struct kh_view none = kh_table_bits(&t->arena, 99999), some = kh_table_bits(&t->arena, 4095999999);

	must(t, kh_arena_check(&t->arena));
	assert_view(none, "0.0 bits"); /* rounded down: never more than there is */
	assert_view(some, "4095.9 bits");
}

static const struct kh_test_case cases[] = {KH_TEST(test_table_list), KH_TEST(test_table_object),
					    KH_TEST(test_table_has), KH_TEST(test_table_bits)};
KH_TEST_MAIN(cases)
