/* I4: parameters and bodies are read by their table; what is not in it, or of another type, is named. */
#include "http/rest/read.h"

#include "harness.h"

static const struct kh_words colour_words = KH_WORDS("red", "green");

static const struct kh_rest_member table[] = {
	{"text", KH_REST_TEXT, .required = true},        {"id", KH_REST_ID, .letter = 't'},
	{"number", KH_REST_NUMBER, .min = 1, .max = 10}, {"time", KH_REST_TIME, .required = false},
	{"word", KH_REST_WORD, .words = &colour_words},  {"ids", KH_REST_IDS, .letter = 'b'},
	{"answer", KH_REST_ANSWER, .required = false},   {0},
};

static const struct kh_rest_member parameters[] = {
	{"all", KH_REST_FLAG, .required = false},
	{"number", KH_REST_NUMBER, .required = true, .min = 0, .max = 10},
	{"word", KH_REST_WORD, .words = &colour_words},
	{0},
};

static const struct kh_rest_member none[] = {{0}};

static enum kh_err read_body(struct kh_test *t, const char *json, struct kh_rest_value values[KH_REST_MEMBERS])
{
	yyjson_val *body;

	memset(values, 0, KH_REST_MEMBERS * sizeof(values[0]));
	enum kh_err e = kh_json_read(&t->arena, kh_view_str(json), &body, &t->err);
	return e == KH_OK ? kh_rest_read_body(&t->arena, table, body, values, &t->err) : e;
}

static void test_body(struct kh_test *t)
{
	struct kh_rest_value v[KH_REST_MEMBERS];

	must(t, read_body(t,
			  "{\"text\":\"a\\u0000b\",\"id\":\"x\",\"number\":10,\"time\":\"1970-01-01T00:00:01Z\","
			  "\"word\":\"green\",\"ids\":[\"b1\",\"b2\"],\"answer\":{\"summary\":\"s\"}}",
			  v));
	assert_true(kh_view_eq(v[0].text, kh_view_of("a\0b", 3)));
	assert_true(kh_view_eq(v[1].text, KH_LIT("x")));
	assert_int_equal(v[2].number, 10);
	assert_int_equal(v[3].number, 1000000);
	assert_int_equal(v[4].word, 1);
	assert_int_equal(v[5].count, 2);
	assert_true(kh_view_eq(v[5].ids[1], KH_LIT("b2")));
	assert_true(kh_view_eq(v[6].text, KH_LIT("{\"summary\":\"s\"}")));
	must(t, read_body(t, "{\"text\":\"\",\"answer\":\"words\"}", v));
	assert_true(v[0].there && !v[1].there && !v[2].there && !v[5].there);
	assert_true(kh_view_eq(v[6].text, KH_LIT("words")));
}

static void test_body_refused(struct kh_test *t)
{
	static const struct {
		const char *json, *code, *member;
	} all[] = {
		{"[]", "wrong_type", ""},
		{"null", "wrong_type", ""},
		{"{}", "missing", "text"},
		{"{\"text\":null}", "wrong_type", "text"},
		{"{\"text\":1}", "wrong_type", "text"},
		{"{\"text\":\"\",\"more\":1}", "unknown_member", "more"},
		{"{\"text\":\"\",\"Text\":1}", "unknown_member", "Text"},
		{"{\"text\":\"\",\"number\":\"1\"}", "wrong_type", "number"},
		{"{\"text\":\"\",\"number\":1.0}", "wrong_type", "number"},
		{"{\"text\":\"\",\"number\":true}", "wrong_type", "number"},
		{"{\"text\":\"\",\"number\":0}", "out_of_range", "number"},
		{"{\"text\":\"\",\"number\":11}", "out_of_range", "number"},
		{"{\"text\":\"\",\"time\":\"tomorrow\"}", "bad_value", "time"},
		{"{\"text\":\"\",\"time\":5}", "wrong_type", "time"},
		{"{\"text\":\"\",\"word\":\"blue\"}", "bad_value", "word"},
		{"{\"text\":\"\",\"word\":\"Red\"}", "bad_value", "word"},
		{"{\"text\":\"\",\"ids\":\"b1\"}", "wrong_type", "ids"},
		{"{\"text\":\"\",\"ids\":[\"b1\",2]}", "wrong_type", "ids[1]"},
		{"{\"text\":\"\",\"answer\":[]}", "wrong_type", "answer"},
		{"{\"text\":\"\",\"answer\":5}", "wrong_type", "answer"},
	};
	struct kh_rest_value v[KH_REST_MEMBERS];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		must_fail(t, KH_EINPUT, read_body(t, all[i].json, v));
		assert_string_equal(t->err.code, all[i].code);
		assert_string_equal(t->err.member, all[i].member);
	}
}

static enum kh_err give(struct kh_test *t, const char *name, const char *value, struct kh_rest_value *values)
{
	return kh_rest_read_parameter(&t->arena, parameters, kh_view_str(name), kh_view_str(value), values, &t->err);
}

static void test_parameters(struct kh_test *t)
{
	struct kh_rest_value v[KH_REST_MEMBERS] = {0};

	must(t, give(t, "all", "true", v));
	must(t, give(t, "word", "red", v));
	must_fail(t, KH_EINPUT, kh_rest_read_parameters_end(parameters, v, &t->err));
	assert_string_equal(t->err.code, "missing");
	assert_string_equal(t->err.member, "number");
	must(t, give(t, "number", "10", v));
	must(t, kh_rest_read_parameters_end(parameters, v, &t->err));
	assert_true(v[0].number == 1 && v[1].number == 10 && v[2].word == 0);
	must_fail(t, KH_EINPUT, give(t, "all", "true", v));
	assert_string_equal(t->err.code, "duplicate_member");
	must(t, kh_rest_read_parameters_end(none, v, &t->err));
}

static void test_parameters_refused(struct kh_test *t)
{
	static const struct {
		const char *name, *value, *code, *member;
	} all[] = {
		{"number", "", "wrong_type", "number"},
		{"number", "1.0", "wrong_type", "number"},
		{"number", " 1", "wrong_type", "number"},
		{"number", "01", "wrong_type", "number"},
		{"number", "0x1", "wrong_type", "number"},
		{"number", "99999999999999999999", "wrong_type", "number"},
		{"number", "-1", "out_of_range", "number"},
		{"number", "11", "out_of_range", "number"},
		{"all", "", "bad_value", "all"},
		{"all", "1", "bad_value", "all"},
		{"all", "TRUE", "bad_value", "all"},
		{"word", "", "bad_value", "word"},
		{"word", "red,green", "bad_value", "word"},
		{"other", "1", "unknown_member", ""},
		{"", "1", "unknown_member", ""},
		{"ALL", "true", "unknown_member", ""},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_rest_value v[KH_REST_MEMBERS] = {0};
		must_fail(t, KH_EINPUT, give(t, all[i].name, all[i].value, v));
		assert_string_equal(t->err.code, all[i].code);
		assert_string_equal(t->err.member, all[i].member);
	}
	struct kh_rest_value v[KH_REST_MEMBERS] = {0};
	must_fail(t, KH_EINPUT, kh_rest_read_parameter(&t->arena, none, KH_LIT("a\n\"b"), KH_LIT(""), v, &t->err));
	assert_null(strchr(t->err.detail, '\n')); /* what a stranger wrote is quoted */
}

static void test_types(struct kh_test *t)
{
	static const struct {
		const char *header;
		enum kh_rest_read_type type;
	} all[] = {
		{"application/json", KH_REST_READ_JSON},
		{"Application/JSON", KH_REST_READ_JSON},
		{"application/json; charset=utf-8", KH_REST_READ_JSON},
		{"application/json ; Charset=\"UTF-8\" ;", KH_REST_READ_JSON},
		{"text/plain", KH_REST_READ_TEXT},
		{"text/plain;charset=utf-8", KH_REST_READ_TEXT},
		{"text/plain; charset=latin-1", KH_REST_READ_OTHER},
		{"application/json; charset=utf-16", KH_REST_READ_OTHER},
		{"application/json; boundary=x", KH_REST_READ_OTHER},
		{"application/json; charset", KH_REST_READ_OTHER},
		{"application/jsonx", KH_REST_READ_OTHER},
		{"application/x-www-form-urlencoded", KH_REST_READ_OTHER},
		{"multipart/form-data", KH_REST_READ_OTHER},
		{"", KH_REST_READ_NONE},
		{"  ", KH_REST_READ_NONE},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(kh_rest_read_type(kh_view_str(all[i].header)), all[i].type);
	assert_int_equal(kh_rest_read_type((struct kh_view){NULL, 0}), KH_REST_READ_NONE);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_body),       KH_TEST(test_body_refused),
	KH_TEST(test_parameters), KH_TEST(test_parameters_refused),
	KH_TEST_ONCE(test_types),
};
KH_TEST_MAIN(cases)
