/* Values against a schema. */
#include "harness.h"
#include "rpc/schema.h"

static const char schema[] =
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"a\"],\"properties\":{"
	"\"a\":{\"type\":\"string\",\"minLength\":2,\"maxLength\":3},"
	"\"n\":{\"type\":\"integer\",\"minimum\":-1,\"maximum\":5},"
	"\"w\":{\"enum\":[\"x\",\"y\",7]},"
	"\"e\":{\"type\":[\"string\",\"object\"]},"
	"\"l\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":2,\"items\":{\"type\":\"boolean\"}},"
	"\"o\":{\"type\":\"object\",\"properties\":{\"in\":{\"type\":\"number\"}}}}}";

/* What is not of the schema is named by its path. */
static void test_schema(struct kh_test *t)
{
	static const struct {
		const char *json, *code, *member;
	} bad[] = {
		{"[]", "wrong_type", ""},
		{"{}", "missing", "a"},
		{"{\"a\":\"x\"}", "too_short", "a"},
		{"{\"a\":\"\"}", "empty", "a"},
		{"{\"a\":\"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"}", "too_long", "a"},
		{"{\"a\":\"xx\",\"b\":1}", "unknown_member", "b"},
		{"{\"a\":\"xx\",\"n\":1.0}", "wrong_type", "n"},
		{"{\"a\":\"xx\",\"n\":-0}", "wrong_type", "n"},
		{"{\"a\":\"xx\",\"n\":6}", "out_of_range", "n"},
		{"{\"a\":\"xx\",\"n\":-2}", "out_of_range", "n"},
		{"{\"a\":\"xx\",\"w\":\"z\"}", "bad_value", "w"},
		{"{\"a\":\"xx\",\"w\":8}", "bad_value", "w"},
		{"{\"a\":\"xx\",\"e\":8}", "wrong_type", "e"},
		{"{\"a\":\"xx\",\"l\":[]}", "empty", "l"},
		{"{\"a\":\"xx\",\"l\":[true,true,true]}", "too_many", "l"},
		{"{\"a\":\"xx\",\"l\":[true,0]}", "wrong_type", "l[1]"},
		{"{\"a\":\"xx\",\"o\":{\"in\":\"1\"}}", "wrong_type", "o.in"},
		{"{\"a\":\"xx\",\"o\":{\"\\u001b[2J\":1,\"in\":null}}", "wrong_type", "o.in"},
		{"{\"a\":\"xx\",\"\\u001b[2J\":1}", "unknown_member", "\"\\u{1b}[2J\""},
	};
	static const char *const good[] = {
		"{\"a\":\"xx\"}",
		"{\"a\":\"xx\",\"e\":\"x\"}",
		"{\"a\":\"xx\",\"e\":{}}",
		"{\"a\":\"\xc3\xa4\xc3\xa4\xc3\xa4\",\"n\":-1,\"w\":7,\"l\":[true],\"o\":{\"in\":1.5,\"more\":null}}",
	};
	yyjson_val *value, *root;

	must(t, kh_json_read(&t->arena, kh_view_str(schema), &root, &t->err));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		must(t, kh_json_read(&t->arena, kh_view_str(bad[i].json), &value, &t->err));
		must_fail(t, KH_EINPUT, kh_rpc_schema_check(&t->arena, root, value, &t->err));
		assert_string_equal(t->err.code, bad[i].code);
		assert_string_equal(t->err.member, bad[i].member);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		must(t, kh_json_read(&t->arena, kh_view_str(good[i]), &value, &t->err));
		must(t, kh_rpc_schema_check(&t->arena, root, value, &t->err));
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_schema)};
KH_TEST_MAIN(cases)
