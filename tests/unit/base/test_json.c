#include "base/json.h"
#include "base/utf8.h"
#include "harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static void test_read(struct kh_test *t)
{
	yyjson_val *root;
	int64_t n;

	must(t, kh_json_read(&t->arena, KH_LIT(" {\"a\":[1,-5,2.0,1e0,-0,\"5\",9223372036854775808],\"b\":null} "),
			     &root, &t->err));
	yyjson_val *a = kh_json_get(root, "a");
	assert_string_equal(kh_json_type(a), "array");
	assert_true(kh_json_int(yyjson_arr_get(a, 0), &n) && n == 1);
	assert_true(kh_json_int(yyjson_arr_get(a, 1), &n) && n == -5);
	for (size_t i = 2; i < 7; i++)
		assert_false(kh_json_int(yyjson_arr_get(a, i), &n));
	assert_view(kh_json_str(yyjson_arr_get(a, 5)), "5");
	assert_null(kh_json_str(a).p);
	assert_null(kh_json_get(root, "c"));
}

/* What is not usable is refused with a byte offset. */
static void test_refused(struct kh_test *t)
{
	static const struct {
		struct kh_view text;
		const char *code;
		size_t offset;
	} all[] = {
		{KH_LIT_INIT(""), "json_syntax", 0},
		{KH_LIT_INIT("{} x"), "json_syntax", 3},
		{KH_LIT_INIT("{\"a\":1,\"b\":2,\"a\":3}"), "json_duplicate", 13},
		{KH_LIT_INIT("{\"a\":1,\"\\u0061\":3}"), "json_duplicate", 7},
		{KH_LIT_INIT("[{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\"4\":1}]"),
		 "json_duplicate", 56},
		{KH_LIT_INIT("[1,]"), "json_syntax", 2},
		{KH_LIT_INIT("\"\xff\""), "json_syntax", 1},
		{KH_LIT_INIT("\"\\ud800\""), "json_syntax", 7},
		{KH_LIT_INIT("[NaN]"), "json_syntax", 1},
		{KH_LIT_INIT("// x\n1"), "json_syntax", 0},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		yyjson_val *root = NULL;
		must_fail(t, KH_EINPUT, kh_json_read(&t->arena, all[i].text, &root, &t->err));
		assert_string_equal(t->err.code, all[i].code);
		assert_int_equal(t->err.offset, all[i].offset);
		assert_null(root);
	}
}

/* Names that only differ in the middle, many of them: told apart, and a duplicate among them is still found. */
static void test_alike_names(struct kh_test *t)
{
	char text[4096];
	yyjson_val *root;
	size_t n = 0, last = 0;

	for (int i = 0; i < 100; i++) {
		last = n + 1;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%c\"beginning-%02d-the-ending\":0", i ? ',' : '{',
				      i);
	}
	text[n] = '}';
	must(t, kh_json_read(&t->arena, kh_view_of(text, n + 1), &root, &t->err));
	memcpy(text + last + 11, "42", 2);
	must_fail(t, KH_EINPUT, kh_json_read(&t->arena, kh_view_of(text, n + 1), &root, &t->err));
	assert_string_equal(t->err.code, "json_duplicate");
	assert_int_equal(t->err.offset, last);
}

static void test_depth(struct kh_test *t)
{
	char text[200];
	yyjson_val *root;

	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	must_fail(t, KH_ELIMIT, kh_json_read(&t->arena, kh_view_of(text, 130), &root, &t->err));
	assert_int_equal(t->err.offset, 64);
	must(t, kh_json_read(&t->arena, kh_view_of(text + 1, 128), &root, &t->err));
}

static void test_write(struct kh_test *t)
{
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	struct kh_reasons reasons;
	struct kh_view text;

	kh_json_add(doc, root, "text", KH_LIT("a\n\"\x1b"));
	kh_json_add_raw(doc, root, "raw", KH_LIT("{\"a\":[1]}"));
	kh_json_add_raw(doc, root, "none", KH_LIT(""));
	kh_reasons_init(&reasons, &t->arena);
	for (int i = 0; i < 6; i++)
		kh_reasons_add(&reasons, "code", i ? KH_LIT("m") : KH_LIT(""), "d%d", i);
	reasons.n = reasons.n ? 2 : 0;
	yyjson_mut_obj_add_val(doc, root, "reasons", kh_json_reasons(doc, &reasons));
	kh_error_at(&t->err, KH_EINPUT, "bad", 7, "what %s", "it is");
	assert_int_equal(kh_error_member(&t->err, KH_LIT("a.b"), KH_EINPUT), KH_EINPUT);
	yyjson_mut_obj_add_val(doc, root, "error", kh_json_error(doc, &t->err));
	must(t, kh_json_write(&t->arena, root, &text));
	assert_view(
		text,
		"{\"text\":\"a\\n\\\"\\u001B\",\"raw\":{\"a\":[1]},\"reasons\":[{\"code\":\"code\",\"detail\":\"d0\"},"
		"{\"code\":\"code\",\"member\":\"m\",\"detail\":\"d1\"}],"
		"\"error\":{\"code\":\"bad\",\"member\":\"a.b\",\"offset\":7,\"detail\":\"what it is\"}}");
}

/* What is cut to fit ends with a whole character, so that it can be shown anywhere. */
static void test_cut(struct kh_test *t)
{
	char text[400];

	for (size_t shift = 0; shift < 4; shift++) {
		memset(text, 'x', shift);
		for (size_t i = shift; i + 3 < sizeof(text); i += 3)
			memcpy(text + i, "\xe2\x9a\x91", 4);
		kh_error_set(&t->err, KH_EINPUT, "bad", "%s", text);
		assert_int_equal(kh_error_member(&t->err, kh_view_str(text), KH_EINPUT), KH_EINPUT);
		assert_int_equal(kh_utf8_invalid(kh_view_str(t->err.detail)), SIZE_MAX);
		assert_int_equal(kh_utf8_invalid(kh_view_str(t->err.member)), SIZE_MAX);
		assert_true(strlen(t->err.detail) > 250);
	}
}

/* JSONTestSuite, where it is there: y_ must parse, n_ must not, i_ must not crash. */
/* A frozen value is what reading the written text gives, numbers included. */
static void test_freeze(struct kh_test *t)
{
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *made = yyjson_mut_obj(doc), *list = yyjson_mut_obj_add_arr(doc, made, "list");
	yyjson_val *frozen, *read;
	struct kh_view text;
	int64_t n;

	yyjson_mut_arr_add_int(doc, list, 0);
	yyjson_mut_arr_add_int(doc, list, 7);
	yyjson_mut_arr_add_int(doc, list, -7);
	kh_json_add(doc, made, "text", KH_LIT("a\"\n"));
	must(t, kh_json_freeze(&t->arena, made, &frozen, &t->err));
	must(t, kh_json_write(&t->arena, made, &text));
	must(t, kh_json_read(&t->arena, text, &read, &t->err));
	assert_true(yyjson_equals(frozen, read));
	yyjson_val *numbers = kh_json_get(frozen, "list");
	assert_true(kh_json_int(yyjson_arr_get(numbers, 0), &n) && n == 0);
	assert_true(kh_json_int(yyjson_arr_get(numbers, 1), &n) && n == 7);
	assert_true(kh_json_int(yyjson_arr_get(numbers, 2), &n) && n == -7);
}

/* What could not be read again is not frozen either. */
static void test_not_frozen(struct kh_test *t)
{
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *twice = yyjson_mut_obj(doc), *bytes = yyjson_mut_arr(doc), *deep = yyjson_mut_arr(doc),
		       *in = deep;
	yyjson_val *frozen = NULL;

	kh_json_add(doc, twice, "a", KH_LIT("1"));
	kh_json_add(doc, twice, "a", KH_LIT("2"));
	yyjson_mut_arr_add_strn(doc, bytes, "\xff", 1);
	for (int i = 0; i < KH_JSON_DEPTH; i++)
		in = yyjson_mut_arr_add_arr(doc, in);
	must_fail(t, KH_EINPUT, kh_json_freeze(&t->arena, twice, &frozen, &t->err));
	assert_string_equal(t->err.code, "json_duplicate");
	must_fail(t, KH_EINPUT, kh_json_freeze(&t->arena, bytes, &frozen, &t->err));
	assert_string_equal(t->err.code, "bad_utf8");
	must_fail(t, KH_ELIMIT, kh_json_freeze(&t->arena, deep, &frozen, &t->err));
	assert_string_equal(t->err.code, "json_depth");
	assert_null(frozen);
}

static void test_suite(struct kh_test *t)
{
	const char *shared = getenv("SHARED");
	char path[4096];
	static char text[1 << 20];
	size_t count = 0;

	snprintf(path, sizeof(path), "%s/corpora/json-test-suite", shared ? shared : "");
	DIR *dir = opendir(path);
	if (dir == NULL) {
		print_message("skipped: no JSONTestSuite at %s\n", path);
		return;
	}
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		yyjson_val *root;
		if (strstr(entry->d_name, ".json") == NULL)
			continue;
		snprintf(path, sizeof(path), "%s/corpora/json-test-suite/%s", shared, entry->d_name);
		FILE *file = fopen(path, "rb");
		assert_non_null(file);
		size_t n = fread(text, 1, sizeof(text), file);
		fclose(file);
		enum kh_err e = kh_json_read(&t->arena, kh_view_of(text, n), &root, &t->err);
		bool wanted = entry->d_name[0] == 'y';
		/* Our own rule on top of RFC 8259: no duplicate members. */
		if (strstr(entry->d_name, "duplicated_key") != NULL)
			wanted = false;
		if (entry->d_name[0] != 'i' && (e == KH_OK) != wanted)
			fail_msg("%s: %s", entry->d_name, kh_err_name(e));
		kh_arena_clear(&t->arena);
		count++;
	}
	closedir(dir);
	assert_true(count > 100);
}

static const struct kh_test_case cases[] = {KH_TEST(test_read),   KH_TEST(test_refused),    KH_TEST(test_alike_names),
					    KH_TEST(test_depth),  KH_TEST(test_write),      KH_TEST(test_cut),
					    KH_TEST(test_freeze), KH_TEST(test_not_frozen), KH_TEST_ONCE(test_suite)};
KH_TEST_MAIN(cases)
