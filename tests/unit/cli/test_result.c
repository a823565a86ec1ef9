/* E7, I6: what the world sent as members of a JSON object: text where it is, base64 where it is not. */
#include "cli/result.h"
#include "harness.h"

static struct kh_view written(struct kh_test *t, yyjson_mut_val *obj)
{
	struct kh_view text = {NULL, 0};

	must(t, kh_json_write(&t->arena, obj, &text));
	return text;
}

static void collect(struct kh_test *t, struct kh_view out, struct kh_view errors, const char *wanted)
{
	struct kh_result result;
	yyjson_mut_doc *doc;

	kh_result_init(&result, &t->arena);
	kh_result_collect(&result, KH_EVENT_OUTPUT, kh_tainted_wrap(kh_view_sub(out, 0, 2)));
	kh_result_collect(&result, KH_EVENT_ERRORS, kh_tainted_wrap(errors));
	kh_result_collect(&result, KH_EVENT_OUTPUT, kh_tainted_wrap(kh_view_from(out, 2)));
	doc = kh_json_new(&t->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	if (!kh_result_add(&result, doc, obj))
		must(t, KH_ENOMEM);
	assert_view(written(t, obj), wanted);
}

static void test_streams(struct kh_test *t)
{
	collect(t, KH_LIT(""), KH_LIT(""), "{\"stdout\":\"\",\"stderr\":\"\"}");
	collect(t, KH_LIT("a\"b\n"), KH_LIT("\xe2\x82\xac"), "{\"stdout\":\"a\\\"b\\n\",\"stderr\":\"\xe2\x82\xac\"}");
	collect(t, KH_LIT("ab\xff"), KH_LIT("x"), "{\"stdout_base64\":\"YWL/\",\"stderr\":\"x\"}");
	collect(t, KH_LIT("ok"), KH_LIT("\0\x80"), "{\"stdout\":\"ok\",\"stderr_base64\":\"AIA=\"}");
}

static void test_text(struct kh_test *t)
{
	struct kh_result result;
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_result_init(&result, &t->arena);
	kh_result_text(&result, doc, obj, "utf8", kh_tainted_wrap(KH_LIT("caf\xc3\xa9")));
	kh_result_text(&result, doc, obj, "latin1", kh_tainted_wrap(KH_LIT("caf\xe9")));
	kh_result_lines(&result, doc, obj, "lines", kh_tainted_wrap(KH_LIT("A: b\r\n\r\nC: \xe9\nD: last")));
	kh_result_lines(&result, doc, obj, "none", kh_tainted_wrap(KH_LIT("")));
	assert_view(written(t, obj), "{\"utf8\":\"caf\xc3\xa9\",\"latin1\":\"caf\xc3\xa9\","
				     "\"lines\":[\"A: b\",\"C: \xc3\xa9\",\"D: last\"],\"none\":[]}");
}

static void test_quote(struct kh_test *t)
{
	struct kh_result result;

	kh_result_init(&result, &t->arena);
	struct kh_tainted kept = kh_result_keep(&result, kh_tainted_wrap(KH_LIT("\033[31m\"x")));
	struct kh_view quoted = kh_result_quote(&result, kept);
	must(t, kh_arena_check(&t->arena));
	assert_view(quoted, "\"\\u{1b}[31m\\\"x\"");
}

/* U3: what a worker said of a server is for humans: its sentence alone, and whatever came if that is not what it wrote. */
static void test_reason(struct kh_test *t)
{
	static const struct {
		const char *said, *shown;
	} rows[] = {
		{"{\"fault\":\"json_syntax\",\"detail\":\"not JSON: \\\"hello\\\"\"}\n", "\"not JSON: \\\"hello\\\"\""},
		{"{\"fault\":\"x\",\"detail\":7}", "\"{\\\"fault\\\":\\\"x\\\",\\\"detail\\\":7}\""},
		{"[1]", "\"[1]\""},
		{"\033 no", "\"\\u{1b} no\""},
	};
	struct kh_result result;

	kh_result_init(&result, &t->arena);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kh_view shown = kh_result_reason(&result, kh_tainted_wrap(kh_view_str(rows[i].said)));
		must(t, kh_arena_check(&t->arena));
		assert_view(shown, rows[i].shown);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_streams),
	KH_TEST(test_text),
	KH_TEST(test_quote),
	KH_TEST(test_reason),
};
KH_TEST_MAIN(cases)
