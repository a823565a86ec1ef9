/* U8: a client's configuration in TOML, read as JSON. */
#include "cli/upstream/toml.h"

#include "harness.h"

#include <stdlib.h>

static void reads(struct kh_test *t, const char *toml, const char *json)
{
	yyjson_val *root = NULL;
	struct kh_view text;

	must(t, kh_toml_read(&t->arena, kh_view_str(toml), &root, &t->err));
	char *written = yyjson_val_write(root, 0, NULL);
	assert_non_null(written);
	text = kh_arena_dup(&t->arena, kh_view_str(written));
	free(written);
	must(t, kh_arena_check(&t->arena));
	assert_view(text, json);
}

static void test_values(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"", "{}"},
		{"# only\n\n  # comments", "{}"},
		{"a = 1\nb = -2\nc = +3\nd = 1_000", "{\"a\":1,\"b\":-2,\"c\":3,\"d\":1000}"},
		{"a = true\nb=false # x", "{\"a\":true,\"b\":false}"},
		{"a = 1.5\nb = 0x1f\nc = 1979-05-27T07:32:00Z",
		 "{\"a\":\"1.5\",\"b\":\"0x1f\",\"c\":\"1979-05-27T07:32:00Z\"}"},
		{"a = \"x\\t\\\"\\u00e4\\U0001F600\"", "{\"a\":\"x\\t\\\"\xc3\xa4\xf0\x9f\x98\x80\"}"},
		{"a = 'C:\\x'", "{\"a\":\"C:\\\\x\"}"},
		{"a = \"\"\"\none\\\n   two\nthree\"\"\"", "{\"a\":\"onetwo\\nthree\"}"},
		{"a = \"\"\"\"quoted\"\"\"\"", "{\"a\":\"\\\"quoted\\\"\"}"},
		{"a = '''\nx\\n\n'''", "{\"a\":\"x\\\\n\\n\"}"},
		{"a = []\nb = [1, 'x',\n # c\n [true], ]", "{\"a\":[],\"b\":[1,\"x\",[true]]}"},
		{"a = {}\nb = {c = 1, d.e = 2}", "{\"a\":{},\"b\":{\"c\":1,\"d\":{\"e\":2}}}"},
		{"a.b.c = 1\na.\"d e\" = 2\n\"\" = 3", "{\"a\":{\"b\":{\"c\":1},\"d e\":2},\"\":3}"},
		{"[a.b]\nc = 1\n[a]\nd = 2\r\n[ 'x' . y ]\nz = 3",
		 "{\"a\":{\"b\":{\"c\":1},\"d\":2},\"x\":{\"y\":{\"z\":3}}}"},
		{"[[h]]\na = 1\n[h.sub]\nb = 2\n[[h]]\nc = 3", "{\"h\":[{\"a\":1,\"sub\":{\"b\":2}},{\"c\":3}]}"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		reads(t, all[i][0], all[i][1]);
}

static void test_refused(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"a", "line 1: not understood: expected KEY = VALUE or [TABLE]"},
		{"a =", "line 1: not a value"},
		{"\na = b", "line 2: not a value"},
		{"a = 1 2", "line 1: not understood: expected the end of the line"},
		{"a = 1\na = 2", "line 2: the key stands twice"},
		{"[a]\n[a]", "line 2: the table stands twice"},
		{"a = 1\n[a]", "line 2: the table stands twice"},
		{"a = 1\na.b = 2", "line 2: the key has a value already"},
		{"a = {b = 1}\n[a]\nc = 2", "line 2: the table stands twice"},
		{"a = {b = 1}\na.c = 2", "line 2: the key adds to a table that was written elsewhere"},
		{"a = []\n[[a]]\n[b\n", "line 3: a header without its end"},
		{"a = 1\n[[a]]", "line 2: the key has a value already, which is not an array"},
		{"a = \"x", "line 1: a string without its end"},
		{"a = \"x\ny\"", "line 1: a string without its end"},
		{"a = '''x", "line 1: a string without its end"},
		{"a = \"\\q\"", "line 1: an unknown escape"},
		{"a = \"\\u12\"", "line 1: an escape without its digits"},
		{"a = \"\\ud800\"", "line 1: an escape of no character"},
		{"a = \"\\u0000\"", "line 1: an escape of no character"},
		{"a = \"\x01\"", "line 1: a control character"},
		{"a = [1", "line 1: an array without its end"},
		{"a = [1 2]", "line 1: an array without its end"},
		{"a = {b = 1\n}", "line 1: an inline table without its end"},
		{"= 1", "line 1: not a key"},
		{"a = [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]", "line 1: nested too deep"},
		{"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s = 1", "line 1: nested too deep"},
		{"a = \xff", "it is not UTF-8"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		yyjson_val *root = NULL;
		must_fail(t, KH_EINPUT, kh_toml_read(&t->arena, kh_view_str(all[i][0]), &root, &t->err));
		assert_null(root);
		assert_string_equal(t->err.code, "import_invalid");
		if (strncmp(t->err.detail, all[i][1], strlen(all[i][1])) != 0)
			print_error("%s\ngot  %s\nwant %s\n", all[i][0], t->err.detail, all[i][1]);
		assert_int_equal(strncmp(t->err.detail, all[i][1], strlen(all[i][1])), 0);
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_values), KH_TEST(test_refused)};
KH_TEST_MAIN(cases)
