#include "base/canonical.h"
#include "harness.h"

static void check(struct kh_test *t, const char *in, const char *want)
{
	yyjson_val *root;
	struct kh_view text;

	must(t, kh_json_read(&t->arena, kh_view_str(in), &root, &t->err));
	must(t, kh_canonical_json(&t->arena, root, &text, &t->err));
	assert_view(text, want);
}

/* L3: RFC 8785, the order of members and the form of numbers and strings. */
static void test_vectors(struct kh_test *t)
{
	check(t, "{\"b\":1,\"a\":[true,false,null,{}],\"\":\"\"}", "{\"\":\"\",\"a\":[true,false,null,{}],\"b\":1}");
	/* UTF-16 order: U+1F600 (d83d...) before U+FB33. */
	check(t, "{\"\\ufb33\":1,\"\\ud83d\\ude00\":2,\"\\u20ac\":3,\"1\":4,\"\\r\":5,\"\\u0080\":6,\"\\u00f6\":7}",
	      "{\"\\r\":5,\"1\":4,\"\xc2\x80\":6,\"\xc3\xb6\":7,\"\xe2\x82\xac\":3,\"\xf0\x9f\x98\x80\":2,"
	      "\"\xef\xac\xb3\":1}");
	check(t, "\"\\u0000\\b\\t\\n\\f\\r\\u001f\\\"\\\\\\/\\u007f\"",
	      "\"\\u0000\\b\\t\\n\\f\\r\\u001f\\\"\\\\/\x7f\"");
}

static void test_numbers(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"0", "0"},
		{"-0", "0"},
		{"-0.0", "0"},
		{"1.0", "1"},
		{"1e2", "100"},
		{"4.50", "4.5"},
		{"2e-3", "0.002"},
		{"0.000001", "0.000001"},
		{"0.0000001", "1e-7"},
		{"1e21", "1e+21"},
		{"1e20", "100000000000000000000"},
		{"333333333.33333329", "333333333.3333333"},
		{"1e-27", "1e-27"},
		{"9007199254740992", "9007199254740992"},
		{"9007199254740994", "9007199254740994"},
		{"148623157e8", "14862315700000000"},
		{"-14862315700000000", "-14862315700000000"},
		{"-9007199254740992", "-9007199254740992"},
		{"5e-324", "5e-324"},
		{"1.7976931348623157e308", "1.7976931348623157e+308"},
		{"-1.5e-9", "-1.5e-9"},
		{"123.456e5", "12345600"},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		check(t, all[i][0], all[i][1]);
}

static void test_refused(struct kh_test *t)
{
	yyjson_val *root;
	struct kh_view text;

	/* Not a double, or a double whose digits say another integer (2^63 comes out as 9223372036854776000). */
	static const char *const all[] = {"[9007199254740993]",     "[-9007199254740993]",    "[9223372036854775807]",
					  "[-9223372036854775808]", "[18446744073709551615]", "[9223372036854775808.0]",
					  "[9223372036854776000]"};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		must(t, kh_json_read(&t->arena, kh_view_str(all[i]), &root, &t->err));
		must_fail(t, KH_EREFUSED, kh_canonical_json(&t->arena, root, &text, &t->err));
		assert_string_equal(t->err.code, "number_inexact");
	}
}

static void test_digest(struct kh_test *t)
{
	struct kh_digest digest = kh_canonical_digest(KH_LIT("abc"));
	struct kh_view hex = kh_canonical_hex(&t->arena, &digest);
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	must(t, kh_arena_check(&t->arena));
	assert_view(hex, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
	yyjson_mut_obj_add_int(doc, root, "b", 2);
	yyjson_mut_obj_add_int(doc, root, "a", 1);
	must(t, kh_canonical_mut(&t->arena, root, &hex, &t->err));
	assert_view(hex, "{\"a\":1,\"b\":2}");
}

static const struct kh_test_case cases[] = {KH_TEST(test_vectors), KH_TEST(test_numbers), KH_TEST(test_refused),
					    KH_TEST(test_digest)};
KH_TEST_MAIN(cases)
