#include "wire/sqlrows.h"

#include "base/json.h"
#include "harness.h"

#include <math.h>

/* E9: values keep their types, and whatever they hold the result is JSON in UTF-8. */
static void test_values(struct kh_test *t)
{
	struct kh_sqlrows rows;
	struct kh_view json;
	yyjson_val *root;

	kh_sqlrows_init(&rows, &t->arena, 10, 4096);
	kh_sqlrows_column(&rows, KH_LIT("a\"b"));
	kh_sqlrows_column(&rows, KH_LIT("c\xff"));
	assert_true(kh_sqlrows_begin(&rows) || t->fired);
	kh_sqlrows_null(&rows);
	kh_sqlrows_bool(&rows, true);
	kh_sqlrows_int(&rows, INT64_C(9007199254740992));
	kh_sqlrows_int(&rows, INT64_C(-9007199254740993));
	kh_sqlrows_int(&rows, INT64_MIN);
	kh_sqlrows_real(&rows, 0.1);
	kh_sqlrows_real(&rows, -HUGE_VAL);
	kh_sqlrows_real(&rows, (double)NAN);
	kh_sqlrows_text(&rows, KH_LIT("x\xc3y\0z\"\n"));
	kh_sqlrows_blob(&rows, KH_LIT("\0\xff"));
	kh_sqlrows_digits(&rows, KH_LIT("1e+20"));
	kh_sqlrows_digits(&rows, KH_LIT("9007199254740993"));
	kh_sqlrows_digits(&rows, KH_LIT("NaN"));
	kh_sqlrows_digits(&rows, KH_LIT("01"));
	kh_sqlrows_digits(&rows, KH_LIT("-1.50"));
	kh_sqlrows_digits(&rows, KH_LIT("1."));
	kh_sqlrows_digits(&rows, KH_LIT("1e400")); /* no double, and so no number of JSON */
	assert_true(kh_sqlrows_end(&rows) || t->fired);
	must(t, kh_sqlrows_json(&rows, &json, &t->err));
	must(t, kh_json_read(&t->arena, json, &root, &t->err));
	assert_view(json, "{\"columns\":[\"a\\\"b\",\"c\xef\xbf\xbd\"],\"rows\":[[null,true,9007199254740992,"
			  "\"-9007199254740993\",\"-9223372036854775808\",0.1,\"-Infinity\",\"NaN\","
			  "\"x\xef\xbf\xbdy\\u0000z\\\"\\n\",\"\\\\x00ff\",1e+20,\"9007199254740993\",\"NaN\",\"01\","
			  "-1.50,\"1.\",\"1e400\"]],\"truncated\":false}");
}

/* E9: more rows than the cap are not taken, and the result says so. */
static void test_row_cap(struct kh_test *t)
{
	struct kh_sqlrows rows;
	struct kh_view json;

	kh_sqlrows_init(&rows, &t->arena, 2, 4096);
	kh_sqlrows_column(&rows, KH_LIT("a"));
	for (int i = 0; i < 3; i++) {
		if (!kh_sqlrows_begin(&rows))
			break;
		kh_sqlrows_int(&rows, i);
		assert_true(kh_sqlrows_end(&rows) || t->fired);
	}
	must(t, kh_sqlrows_json(&rows, &json, &t->err));
	assert_view(json, "{\"columns\":[\"a\"],\"rows\":[[0],[1]],\"truncated\":true}");
}

/* E9: a row that passes the byte cap is left out whole; where it is the first, there is no result. */
static void test_byte_cap(struct kh_test *t)
{
	struct kh_sqlrows rows;
	struct kh_view json, big = kh_arena_dup(&t->arena, KH_LIT("0123456789012345678901234567890123456789"));

	must(t, kh_arena_check(&t->arena));
	kh_sqlrows_init(&rows, &t->arena, 10, 64);
	kh_sqlrows_column(&rows, KH_LIT("a"));
	assert_true(kh_sqlrows_begin(&rows) || t->fired);
	kh_sqlrows_int(&rows, 1);
	assert_true(kh_sqlrows_end(&rows) || t->fired);
	if (kh_sqlrows_begin(&rows)) {
		kh_sqlrows_text(&rows, big);
		assert_false(kh_sqlrows_end(&rows));
	}
	must(t, kh_sqlrows_json(&rows, &json, &t->err));
	assert_view(json, "{\"columns\":[\"a\"],\"rows\":[[1]],\"truncated\":true}");

	kh_sqlrows_init(&rows, &t->arena, 10, 64);
	kh_sqlrows_column(&rows, KH_LIT("a"));
	if (kh_sqlrows_begin(&rows)) {
		kh_sqlrows_blob(&rows, big);
		assert_false(kh_sqlrows_end(&rows));
	}
	must_fail(t, KH_ELIMIT, kh_sqlrows_json(&rows, &json, &t->err));
	assert_string_equal(t->err.code, "result_too_large");
	assert_non_null(strstr(t->err.detail, "first row"));

	kh_sqlrows_init(&rows, &t->arena, 10, 16);
	kh_sqlrows_column(&rows, big);
	assert_false(kh_sqlrows_begin(&rows));
	must_fail(t, KH_ELIMIT, kh_sqlrows_json(&rows, &json, &t->err));
	assert_non_null(strstr(t->err.detail, "columns"));
}

static void test_nothing(struct kh_test *t)
{
	struct kh_sqlrows rows;
	struct kh_view json;

	kh_sqlrows_init(&rows, &t->arena, 10, 64);
	kh_sqlrows_column(&rows, KH_LIT("a"));
	must(t, kh_sqlrows_json(&rows, &json, &t->err));
	assert_view(json, "{\"columns\":[\"a\"],\"rows\":[],\"truncated\":false}");
}

static const struct kh_test_case cases[] = {KH_TEST(test_values), KH_TEST(test_row_cap), KH_TEST(test_byte_cap),
					    KH_TEST(test_nothing)};
KH_TEST_MAIN(cases)
