#include "core/comm/strict.h"
#include "harness.h"

/* E3: each problem has the path of its member; a name from the input cannot forge one. */
static void test_paths(struct kh_test *t)
{
	struct kh_view path = kh_strict_path(&t->arena, KH_LIT(""), KH_LIT("a-b_9"));
	struct kh_view deep = kh_strict_path(&t->arena, kh_strict_index(&t->arena, path, 2), KH_LIT("c"));
	struct kh_view odd = kh_strict_path(&t->arena, KH_LIT("x"), KH_LIT("a.b[0]\n\xe2\x80\xae"));

	must(t, kh_arena_check(&t->arena));
	assert_view(deep, "a-b_9[2].c");
	assert_view(odd, "x.\"a.b[0]\\u{a}\\u{202e}\"");
	assert_view(kh_strict_path(&t->arena, KH_LIT(""), KH_LIT("")), "\"\"");
}

static void test_reports(struct kh_test *t)
{
	static const char *const known[] = {"a", "b"};
	struct kh_reasons errors;
	yyjson_val *obj;

	must(t, kh_json_read(&t->arena, KH_LIT("{\"a\":1,\"B\":2,\"b\":\"x\",\"a \":3}"), &obj, &t->err));
	kh_reasons_init(&errors, &t->arena);
	assert_true(kh_strict_object(&errors, KH_LIT("p"), obj));
	kh_strict_known(&errors, KH_LIT("p"), obj, known, 2);
	assert_null(kh_strict_need(&errors, KH_LIT("p"), obj, "c"));
	assert_null(kh_strict_text(&errors, KH_LIT("p.a"), kh_strict_need(&errors, KH_LIT("p"), obj, "a")).p);
	assert_view(kh_strict_text(&errors, KH_LIT("p.b"), kh_json_get(obj, "b")), "x");
	assert_null(kh_strict_text(&errors, KH_LIT("p.c"), NULL).p);
	assert_false(kh_strict_object(&errors, KH_LIT("p.a"), kh_json_get(obj, "a")));
	must(t, kh_arena_check(&t->arena));
	static const char *const want[][2] = {{"unknown_member", "p.B"},
					      {"unknown_member", "p.\"a \""},
					      {"missing", "p.c"},
					      {"wrong_type", "p.a"},
					      {"wrong_type", "p.a"}};
	assert_int_equal(errors.n, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(errors.at[i].code, want[i][0]);
		assert_view(errors.at[i].member, want[i][1]);
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_paths), KH_TEST(test_reports)};
KH_TEST_MAIN(cases)
