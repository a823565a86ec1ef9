#include "core/comm/operations.h"
#include "core/comm/parameter.h"
#include "harness.h"

/* Checks VALUE (JSON) as parameter NAME of OPERATION; the code of the first problem, or NULL. */
static const char *check(struct kh_test *t, const char *operation, const char *name, struct kh_view value)
{
	struct kh_parameter parameter = {.name = kh_view_str(name), .path = KH_LIT("parameters.x")};
	struct kh_operation_name found;
	struct kh_reasons errors;

	must(t, kh_operation_find(&t->arena, &kh_operations_own, kh_view_str(operation), &found, &t->err));
	must(t, kh_json_read(&t->arena, value, &parameter.value, &t->err));
	kh_reasons_init(&errors, &t->arena);
	const struct kh_parameter_spec *spec = kh_operation_parameter(found.operation, parameter.name);
	assert_non_null(spec);
	must(t, kh_parameter_check(spec, &parameter, &errors));
	if (errors.n > 0)
		assert_true(kh_view_starts(errors.at[0].member, KH_LIT("parameters.x")));
	return errors.n ? errors.at[0].code : NULL;
}

/* clang-format off */
static const struct {
	const char *operation, *name, *value, *code;
} vectors[] = {
	{"comm.search", "query", "\"Product X pricing 2026\"", NULL},
	{"comm.search", "query", "\"\"", "empty"},
	{"comm.search", "query", "\"   \"", "vague"},
	{"comm.search", "query", "\"information\"", "vague"},
	{"comm.search", "query", "\"some stuff about it\"", "vague"},
	{"comm.search", "query", "[\"x\"]", "wrong_type"},
	{"comm.search", "scope", "\"web\"", NULL},
	{"comm.search", "scope", "\"internal\"", NULL},
	{"comm.search", "scope", "\"database\"", NULL},
	{"comm.search", "scope", "\"Web\"", "bad_value"},
	{"comm.search", "scope", "\"all\"", "bad_value"},
	{"comm.search", "scope", "1", "wrong_type"},
	{"comm.search", "limit", "1", NULL},
	{"comm.search", "limit", "100", NULL},
	{"comm.search", "limit", "0", "out_of_range"},
	{"comm.search", "limit", "101", "out_of_range"},
	{"comm.search", "limit", "-1", "out_of_range"},
	{"comm.search", "limit", "1.0", "out_of_range"},
	{"comm.search", "limit", "18446744073709551615", "out_of_range"},
	{"comm.search", "limit", "\"5\"", "wrong_type"},
	{"comm.fetch", "url", "\"https://example.com/\"", NULL},
	{"comm.fetch", "url", "\"http://example.com/\"", "bad_url"},
	{"comm.fetch", "url", "\"https://example.com/\\u0000\"", "bad_url"},
	{"comm.fetch", "url", "7", "wrong_type"},
	{"comm.query", "database", "\"orders\"", NULL},
	{"comm.query", "database", "\"../orders\"", "bad_name"},
	{"comm.query", "database", "\"or ders\"", "bad_name"},
	{"comm.query", "database", "\"-orders\"", "bad_name"},
	{"comm.query", "statement", "\"SELECT price FROM products WHERE id = ?\"", NULL},
	{"comm.query", "statement", "\"SELECT 1\\u0000; DROP TABLE x\"", "bad_value"},
	{"comm.query", "params", "[1,\"a\",null,true,2.5]", NULL},
	{"comm.query", "params", "{\"id\":1,\"name\":\"x\"}", NULL},
	{"comm.query", "params", "[]", NULL},
	{"comm.query", "params", "[[1]]", "wrong_type"},
	{"comm.query", "params", "{\"id\":{\"$gt\":1}}", "wrong_type"},
	{"comm.query", "params", "\"x\"", "wrong_type"},
	{"comm.read", "path", "\"notes/today.txt\"", NULL},
	{"comm.read", "path", "\"/srv/data/x..y/..z\"", NULL},
	{"comm.resource", "server", "\"post-2\"", NULL},
	{"comm.resource", "server", "\"Post\"", "bad_name"},
	{"comm.resource", "server", "\"a.b\"", "bad_name"},
	{"comm.resource", "server", "\"\"", "empty"},
	{"comm.resource", "uri", "\"file:///srv/a..b/...\"", NULL},
	{"comm.resource", "uri", "\"note+x:1?a=..b#c\"", NULL},
	{"comm.resource", "uri", "\"file:///srv/\u00e4.txt\"", NULL},
	{"comm.resource", "uri", "\"note\"", "bad_uri"},
	{"comm.resource", "uri", "\"note:\"", "bad_uri"},
	{"comm.resource", "uri", "\"1note:a\"", "bad_uri"},
	{"comm.resource", "uri", "\"no/te:a\"", "bad_uri"},
	{"comm.resource", "uri", "\"note:a b\"", "bad_uri"},
	{"comm.resource", "uri", "\"note:a\\u0000\"", "bad_uri"},
	{"comm.resource", "uri", "\"note:a\\u202e\"", "bad_uri"},
	{"comm.resource", "uri", "\"note:..\"", "bad_uri"},
	{"comm.resource", "uri", "\"file:///a/../b\"", "bad_uri"},
	{"comm.resource", "uri", "\"file:///a/%2E.\"", "bad_uri"},
	{"comm.resource", "uri", "\"file:///a%2f..%5Cb\"", "bad_uri"},
	{"comm.resource", "uri", "\"file:///a/..?x\"", "bad_uri"},
	{"comm.resource", "uri", "{\"$block\":\"b0123456789abcdef\"}", "wrong_type"},
	{"comm.read", "path", "\"../secret\"", "bad_path"},
	{"comm.read", "path", "\"a/../../b\"", "bad_path"},
	{"comm.read", "path", "\"a/..\"", "bad_path"},
	{"comm.read", "path", "\"..\"", "bad_path"},
	{"comm.read", "path", "\"a\\\\..\\\\b\"", "bad_path"},
	{"comm.read", "path", "\"a\\u0000.txt\"", "bad_path"},
	{"comm.read", "path", "\"a\\n.txt\"", "bad_path"},
	{"comm.read", "path", "\"a\\u202etxt.exe\"", "bad_path"},
	{"comm.read", "path", "\"\"", "empty"},
	{"comm.exec", "command", "\"git\"", NULL},
	{"comm.exec", "command", "\"/usr/bin/git\"", NULL},
	{"comm.exec", "command", "\"git status\"", "bad_command"},
	{"comm.exec", "command", "\"sh;id\"", "bad_command"},
	{"comm.exec", "command", "\"$(id)\"", "bad_command"},
	{"comm.exec", "command", "\"-rf\"", "bad_command"},
	{"comm.exec", "command", "\"../bin/sh\"", "bad_command"},
	{"comm.exec", "command", "\"gi\\u0000t\"", "bad_command"},
	{"comm.exec", "args", "[\"status\",\"--short\",\"; rm -rf /\"]", NULL},
	{"comm.exec", "args", "[1]", "wrong_type"},
	{"comm.exec", "args", "{\"a\":\"b\"}", "wrong_type"},
	{"comm.exec", "args", "\"status\"", "wrong_type"},
	{"comm.exec", "args", "[\"a\\u0000b\"]", "bad_value"},
};
/* clang-format on */

/* E2, E3, E13 (path traversal): each kind of parameter, good and bad. */
static void test_vectors(struct kh_test *t)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const char *want = vectors[i].code;
		const char *code = check(t, vectors[i].operation, vectors[i].name, kh_view_str(vectors[i].value));
		if ((code == NULL) != (want == NULL) || (code != NULL && strcmp(code, want) != 0))
			fail_msg("%s %s: %s", vectors[i].name, vectors[i].value, code ? code : "accepted");
	}
}

/* Every limit, at it and past it. */
static void test_limits(struct kh_test *t)
{
	static const struct {
		const char *operation, *name, *open, *close;
		size_t max;
	} all[] = {
		{"comm.search", "query", "\"price ", "\"", 1000 - 6},
		{"comm.query", "database", "\"", "\"", 64},
		{"comm.query", "statement", "\"", "\"", 8192},
		{"comm.read", "path", "\"", "\"", 4096},
		{"comm.exec", "command", "\"", "\"", 256},
		{"comm.exec", "args", "[\"", "\"]", 65536},
	};
	static char text[70000];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) * 2; i++) {
		size_t n = strlen(all[i / 2].open), close = strlen(all[i / 2].close), over = i % 2;
		memcpy(text, all[i / 2].open, n);
		memset(text + n, 'x', all[i / 2].max + over);
		n += all[i / 2].max + over;
		memcpy(text + n, all[i / 2].close, close);
		const char *code = check(t, all[i / 2].operation, all[i / 2].name, kh_view_of(text, n + close));
		if (over)
			assert_string_equal(code, "too_long");
		else
			assert_null(code);
	}
	for (size_t n = 64; n <= 65; n++) {
		memset(text, '1', n * 2 + 1);
		for (size_t i = 0; i <= n; i++)
			text[i * 2] = i == 0 ? '[' : i == n ? ']' : ',';
		const char *code = check(t, "comm.query", "params", kh_view_of(text, n * 2 + 1));
		assert_true(n == 64 ? code == NULL : code != NULL && strcmp(code, "too_many") == 0);
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_vectors), KH_TEST(test_limits)};
KH_TEST_MAIN(cases)
