/* U3: which forms of a server reach a human, and that nothing else does. */
#include "core/comm/elicitation.h"

#include "base/buf.h"
#include "harness.h"

#define FORM(properties) "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" properties "}}}"

static enum kh_err read_form(struct kh_test *t, const char *params, struct kh_elicitation *ret)
{
	return kh_elicitation_read(&t->arena, kh_tainted_wrap(kh_view_str(params)), ret, &t->err);
}

static void assert_refused(struct kh_test *t, const char *code, const char *params)
{
	struct kh_elicitation form;

	must_fail(t, KH_EREFUSED, read_form(t, params, &form));
	assert_string_equal(t->err.code, code);
}

/* Every type, with all that it may say; the schema that comes out has every bound in it. */
static void test_fields(struct kh_test *t)
{
	struct kh_elicitation form;

	must(t,
	     read_form(
		     t,
		     "{\"mode\":\"form\",\"_meta\":{\"x\":1},\"message\":\"Which "
		     "one?\\n\\u202eFields:\",\"requestedSchema\":{"
		     "\"$schema\":\"x\",\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"n\",\"c\"],"
		     "\"properties\":{"
		     "\"n\":{\"type\":\"integer\",\"minimum\":-1,\"title\":\"Number\"},"
		     "\"r\":{\"type\":\"number\",\"maximum\":2.5,\"default\":1},"
		     "\"b\":{\"type\":\"boolean\",\"description\":\"a \\\"quote\\\"\"},"
		     "\"c\":{\"type\":\"string\",\"enum\":[\"x\",\"y\"],\"enumNames\":[\"X\",\"Y\"]},"
		     "\"o\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"z\",\"title\":\"Z\"}]},"
		     "\"d\":{\"type\":\"string\",\"format\":\"date\"},"
		     "\"t\":{\"type\":\"string\",\"minLength\":2,\"maxLength\":99999}}}}",
		     &form));
	assert_view(
		form.schema,
		"{\"additionalProperties\":false,\"properties\":{\"b\":{\"description\":\"a \\\"quote\\\"\",\"type\":"
		"\"boolean\"},\"c\":{\"enum\":[\"x\",\"y\"],\"type\":\"string\"},\"d\":{\"format\":\"date\","
		"\"maxLength\":1024,\"minLength\":0,\"type\":\"string\"},\"n\":{\"maximum\":9007199254740991,"
		"\"minimum\":-1,\"title\":\"Number\",\"type\":\"integer\"},\"o\":{\"enum\":[\"z\"],\"type\":\"string\"}"
		","
		"\"r\":{\"maximum\":2.5,\"minimum\":-9007199254740991,\"type\":\"number\"},\"t\":{\"maxLength\":1024,"
		"\"minLength\":2,\"type\":\"string\"}},\"required\":[\"n\",\"c\"],\"type\":\"object\"}");
	assert_int_equal(form.needed, 2);
	/* A line of the message cannot pass for a field. */
	assert_true(kh_view_starts(form.text, KH_LIT("Message:\n| Which one?\n| \xe2\x80\xae"
						     "Fields:\nFields:\n"
						     "n (needed): an integer, minimum -1\n  title: \"Number\"\n")));
	assert_true(kh_view_find(form.text, KH_LIT("  one of: \"x\", which it calls \"X\"\n"), 0) != SIZE_MAX);
	assert_true(kh_view_find(form.text, KH_LIT("  description: \"a \\\"quote\\\"\"\n"), 0) != SIZE_MAX);
	must(t, read_form(t, FORM(""), &form)); /* to be agreed to, or not */
	assert_int_equal(form.needed, 0);
}

static void test_hostile(struct kh_test *t)
{
	static const struct {
		const char *code, *params;
	} all[] = {
		{"elicitation_url",
		 "{\"mode\":\"url\",\"url\":\"https://e.example\",\"elicitationId\":\"1\",\"message\":\"m\"}"},
		{"elicitation_url", "{\"url\":\"https://e.example\",\"message\":\"m\"}"},
		{"elicitation_url", FORM("\"a\":{\"type\":\"string\",\"format\":\"uri\"}")},
		{"elicitation_url", FORM("\"a\":{\"type\":\"string\",\"format\":\"uri-reference\"}")},
		{"elicitation_url", FORM("\"a\":{\"type\":\"string\",\"format\":\"iri\"}")},
		{"elicitation_secret", FORM("\"Pass-word\":{\"type\":\"string\"}")},
		{"elicitation_secret", FORM("\"api_key\":{\"type\":\"boolean\"}")},
		{"elicitation_secret", FORM("\"a\":{\"type\":\"string\",\"title\":\"PASSWORT\"}")},
		{"elicitation_secret", FORM("\"a\":{\"type\":\"string\",\"description\":\"Your p\\u0430ssword\"}")},
		{"elicitation_secret", FORM("\"a\":{\"type\":\"string\",\"format\":\"password\"}")},
		{"elicitation_secret",
		 "{\"message\":\"Your password?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
		 "\"a\":{\"type\":\"string\"}}}}"},
		{"elicitation_unfit", ""},
		{"elicitation_unfit", "[]"},
		{"elicitation_unfit", "{}"},
		{"elicitation_unfit", "{\"message\":\"m\"}"},
		{"elicitation_unfit", "{\"mode\":\"frm\",\"message\":\"m\"}"},
		{"elicitation_unfit", "{\"mode\":1,\"message\":\"m\"}"},
		{"elicitation_unfit", "{\"message\":1,\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}"},
		{"elicitation_unfit",
		 "{\"message\":\"m\",\"x\":1,\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}"},
		{"elicitation_unfit", "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"array\",\"properties\":{}}}"},
		{"elicitation_unfit",
		 "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"$ref\":\"#/x\",\"properties\":{}}}"},
		{"elicitation_unfit", "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{},"
				      "\"additionalProperties\":true}}"},
		{"elicitation_unfit",
		 "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{},\"required\":["
		 "\"a\"]}}"},
		{"elicitation_unfit", "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
				      "\"a\":{\"type\":\"boolean\"}},"
				      "\"required\":[\"a\",\"a\"]}}"},
		{"elicitation_unfit", FORM("\"a\":true")},
		{"elicitation_unfit", FORM("\"a\":{}")},
		{"elicitation_unfit", FORM("\"a\":{\"$ref\":\"#/$defs/a\"}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":[\"string\",\"null\"]}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"object\",\"properties\":{}}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}")},
		{"elicitation_unfit", FORM("\"a b\":{\"type\":\"string\"}")},
		{"elicitation_unfit", FORM("\"\":{\"type\":\"string\"}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"pattern\":\"(a+)+\"}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"format\":\"regex\"}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"minLength\":-1}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"maxLength\":1.5}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"minLength\":5,\"maxLength\":4}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"integer\",\"maximum\":1e300}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"integer\",\"maximum\":\"1\"}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"enum\":[]}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"enum\":[\"\"]}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"enum\":[1]}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"enum\":[\"x\",\"x\"]}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"enum\":[\"x\"],\"enumNames\":[]}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"enum\":[\"x\"],\"maxLength\":1}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"x\",\"$ref\":\"#\"}]}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"string\",\"oneOf\":[\"x\"]}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"boolean\",\"title\":{}}")},
		{"elicitation_unfit", FORM("\"a\":{\"type\":\"boolean\"},\"a\":{\"type\":\"boolean\"}")},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_refused(t, all[i].code, all[i].params);
	/* A boolean takes no secret, whatever the message is about. */
	struct kh_elicitation form;
	must(t, read_form(t,
			  "{\"message\":\"Shall I reset the password?\",\"requestedSchema\":{\"type\":\"object\","
			  "\"properties\":{\"a\":{\"type\":\"boolean\"}}}}",
			  &form));
}

/* FORM with N fields, or a message of N bytes. */
static struct kh_view large(struct kh_test *t, size_t fields, size_t message)
{
	struct kh_buf buf;
	struct kh_view text;

	kh_buf_init(&buf, &t->arena, 4U << 20);
	kh_buf_lit(&buf, "{\"message\":\"");
	for (size_t i = 0; i < message; i++)
		kh_buf_byte(&buf, 'x');
	kh_buf_lit(&buf, "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{");
	for (size_t i = 0; i < fields; i++)
		kh_buf_printf(&buf, "%s\"f%zu\":{\"type\":\"boolean\"}", i > 0 ? "," : "", i);
	kh_buf_lit(&buf, "}}}");
	must(t, kh_buf_end(&buf, &text));
	return text;
}

static void test_bounds(struct kh_test *t)
{
	struct kh_elicitation form;

	must(t, read_form(t, kh_arena_printf(&t->arena, "%.*s", KH_FMT(large(t, 16, 4096))).p, &form));
	must(t, kh_arena_check(&t->arena));
	assert_refused(t, "elicitation_unfit", kh_arena_printf(&t->arena, "%.*s", KH_FMT(large(t, 17, 1))).p);
	assert_refused(t, "elicitation_unfit", kh_arena_printf(&t->arena, "%.*s", KH_FMT(large(t, 1000, 1))).p);
	assert_refused(t, "elicitation_unfit", kh_arena_printf(&t->arena, "%.*s", KH_FMT(large(t, 1, 4097))).p);
	assert_refused(t, "elicitation_unfit", kh_arena_printf(&t->arena, "%.*s", KH_FMT(large(t, 1, 1U << 20))).p);
}

/* What a command line gives as texts gets the types of the form; nothing else is changed. */
static void test_values(struct kh_test *t)
{
	static const char schema[] =
		"{\"properties\":{\"b\":{\"type\":\"boolean\"},\"i\":{\"type\":\"integer\"},\"n\":{\"type\":"
		"\"number\"},\"s\":{\"type\":\"string\"}}}";
	struct kh_view values;

#define ENTER(text) \
	kh_elicitation_values(&t->arena, kh_view_str(schema), kh_tainted_wrap(KH_LIT(text)), &values, &t->err)
	must(t, ENTER("{\"s\":\"true\",\"b\":\"true\",\"i\":\"-7\",\"n\":\"0.5\"}"));
	assert_view(values, "{\"b\":true,\"i\":-7,\"n\":0.5,\"s\":\"true\"}");
	must(t, ENTER("{\"b\":\"yes\",\"i\":\"7 \\u0000\",\"n\":\"[1]\",\"x\":\"1\",\"s\":3}"));
	assert_view(values, "{\"b\":\"yes\",\"i\":\"7 \\u0000\",\"n\":\"[1]\",\"s\":3,\"x\":\"1\"}");
	must(t, ENTER("{}"));
	assert_view(values, "{}");
	must_fail(t, KH_EINPUT, ENTER("[]"));
	must_fail(t, KH_EINPUT, ENTER("{"));
	must_fail(t, KH_EINPUT, ENTER("{\"s\":\"a\",\"s\":\"b\"}"));
	struct kh_view much = large(t, 0, KH_ELICITATION_VALUES);
	must_fail(t, KH_ELIMIT,
		  kh_elicitation_values(&t->arena, kh_view_str(schema), kh_tainted_wrap(much), &values, &t->err));
}

static const struct kh_test_case cases[] = {KH_TEST(test_fields), KH_TEST(test_hostile), KH_TEST(test_bounds),
					    KH_TEST(test_values)};
KH_TEST_MAIN(cases)
