/* Schemas that are held, with what holds them and where. */
#include "rows.h"

#include "base/buf.h"

struct held {
	const char *schema, *reported;
};

static void check_held(struct kh_test *t, struct kh_view text, const char *name, enum kh_err want, const char *reported)
{
	struct kh_schema *schema = NULL;
	struct kh_reasons errors;

	kh_reasons_init(&errors, &t->arena);
	enum kh_err e = kh_schema_new(&t->alloc, text, &schema, &errors);
	if (e == KH_OK) {
		print_error("taken: %s\n", name);
		kh_schema_free(schema);
	}
	must_fail(t, want, e);
	assert_view(kh_rows_reported(t, &errors), reported);
}

static void run_held(struct kh_test *t, const struct held *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_held(t, kh_rows_text(t, rows[i].schema), rows[i].schema, KH_EREFUSED, rows[i].reported);
}

#define RUN_HELD(t, rows) run_held((t), (rows), sizeof(rows) / sizeof((rows)[0]))

/* U5: a keyword that is not known holds the tool. */
static void test_unknown(struct kh_test *t)
{
	static const struct held rows[] = {
		{"{'foo':1}", "schema_keyword /foo"},
		{"{'properties':{'a':{'typ':'string'}}}", "schema_keyword /properties/a/typ"},
		{"{'nullable':true}", "schema_keyword /nullable"},
		{"{'x-anything':1}", "schema_keyword /x-anything"},
		{"{'id':'a'}", "schema_keyword /id"},
		{"{'$dynamicRef':'#a'}", "schema_keyword /$dynamicRef"},
		{"{'$dynamicAnchor':'a'}", "schema_keyword /$dynamicAnchor"},
		{"{'$recursiveRef':'#'}", "schema_keyword /$recursiveRef"},
		{"{'$recursiveAnchor':true}", "schema_keyword /$recursiveAnchor"},
		{"{'$vocabulary':{}}", "schema_keyword /$vocabulary"},
		{"{'contentSchema':{}}", "schema_keyword /contentSchema"},
		{"{'divisibleBy':2}", "schema_keyword /divisibleBy"},
		{"{'extends':{}}", "schema_keyword /extends"},
		{"{'discriminator':{}}", "schema_keyword /discriminator"},
		{"{'$defs':{'never used':{'b':1}}}", "schema_keyword /$defs/never used/b"},
		{"{'allOf':[{},{'a~b/c':1}]}", "schema_keyword /allOf/1/a~0b~1c"},
		{"{'items':{'not':{'anyOf':[{'if':{'q':1}}]}}}", "schema_keyword /items/not/anyOf/0/if/q"},
		{"{'dependencies':{'a':{'q':1}}}", "schema_keyword /dependencies/a/q"},
		{"{'patternProperties':{'^a':{'q':1}}}", "schema_keyword /patternProperties/^a/q"},
		{"{'a':1,'type':'what','b':2}", "schema_keyword /a;schema_value /type;schema_keyword /b"},
		{"{'\\u001b[2J':1}", "schema_keyword /\"\\u{1b}[2J\""},
		/* Of another draft than the one that is named. */
		{"{'$schema':'http://json-schema.org/draft-07/schema#','prefixItems':[{}]}",
		 "schema_keyword /prefixItems"},
		{"{'$schema':'http://json-schema.org/draft-07/schema#','dependentRequired':{}}",
		 "schema_keyword /dependentRequired"},
		{"{'$schema':'http://json-schema.org/draft-07/schema#','unevaluatedProperties':false}",
		 "schema_keyword /unevaluatedProperties"},
		{"{'$schema':'https://json-schema.org/draft/2019-09/schema','prefixItems':[{}]}",
		 "schema_keyword /prefixItems"},
		{"{'$schema':'https://json-schema.org/draft/2020-12/schema','items':[{}],'additionalItems':false}",
		 "schema_value /items;schema_keyword /additionalItems"},
		{"{'$schema':'http://json-schema.org/draft-04/schema#'}", "schema_dialect /$schema"},
		{"{'$schema':'https://example.com/own'}", "schema_dialect /$schema"},
		{"{'$schema':1}", "schema_dialect /$schema;schema_value /$schema"},
		{"{'properties':{'a':{'$schema':'http://json-schema.org/draft-07/schema#'}}}",
		 "schema_reference /properties/a/$schema"},
	};
	RUN_HELD(t, rows);
}

/* A keyword with a value that it cannot have holds the tool too. */
static void test_values(struct kh_test *t)
{
	static const struct held rows[] = {
		{"1", "schema_value "},
		{"null", "schema_value "},
		{"[]", "schema_value "},
		{"'string'", "schema_value "},
		{"{'type':'strin'}", "schema_value /type"},
		{"{'type':1}", "schema_value /type"},
		{"{'type':[]}", "schema_value /type"},
		{"{'type':['string',null]}", "schema_value /type"},
		{"{'enum':'a'}", "schema_value /enum"},
		{"{'required':true}", "schema_value /required"},
		{"{'required':[1]}", "schema_value /required"},
		{"{'required':['a','a']}", "schema_value /required"},
		{"{'properties':[]}", "schema_value /properties"},
		{"{'properties':{'a':1}}", "schema_value /properties/a"},
		{"{'additionalProperties':'no'}", "schema_value /additionalProperties"},
		{"{'minLength':-1}", "schema_value /minLength"},
		{"{'minLength':1.5}", "schema_value /minLength"},
		{"{'maxItems':'1'}", "schema_value /maxItems"},
		{"{'maxLength':1e30}", "schema_value /maxLength"},
		{"{'minimum':'1'}", "schema_value /minimum"},
		{"{'exclusiveMinimum':true}", "schema_value /exclusiveMinimum"},
		{"{'multipleOf':0}", "schema_value /multipleOf"},
		{"{'multipleOf':-1}", "schema_value /multipleOf"},
		{"{'uniqueItems':1}", "schema_value /uniqueItems"},
		{"{'allOf':[]}", "schema_value /allOf"},
		{"{'anyOf':{}}", "schema_value /anyOf"},
		{"{'oneOf':[1]}", "schema_value /oneOf/0"},
		{"{'not':null}", "schema_value /not"},
		{"{'items':1}", "schema_value /items"},
		{"{'prefixItems':{}}", "schema_value /prefixItems"},
		{"{'prefixItems':[{}],'items':[{}]}", "schema_value /items"},
		{"{'prefixItems':[{}],'additionalItems':false}", "schema_keyword /additionalItems"},
		{"{'pattern':1}", "schema_value /pattern"},
		{"{'format':1}", "schema_value /format"},
		{"{'dependentRequired':{'a':'b'}}", "schema_value /dependentRequired/a"},
		{"{'dependentRequired':[]}", "schema_value /dependentRequired"},
		{"{'dependencies':{'a':1}}", "schema_value /dependencies/a"},
		{"{'patternProperties':[]}", "schema_value /patternProperties"},
		{"{'$defs':[]}", "schema_value /$defs"},
		{"{'$anchor':'1a'}", "schema_value /$anchor"},
		{"{'pattern':'('}", "schema_pattern /pattern"},
		{"{'pattern':'(a)\\\\1'}", "schema_pattern /pattern"},
		{"{'pattern':'(?<=a)b'}", "schema_pattern /pattern"},
		{"{'patternProperties':{'[':{}}}", "schema_pattern /patternProperties/["},
		{"{'pattern':'((a{100}){100}){100}'}", "schema_limit /pattern"},
	};
	RUN_HELD(t, rows);
}

/* Nothing is fetched, and a reference leads to a schema or the tool is held. */
static void test_references(struct kh_test *t)
{
	static const struct held rows[] = {
		{"{'$ref':'http://json-schema.org/draft-07/schema#'}", "schema_reference /$ref"},
		{"{'$ref':'other.json'}", "schema_reference /$ref"},
		{"{'$ref':''}", "schema_reference /$ref"},
		{"{'$ref':'file:///etc/passwd'}", "schema_reference /$ref"},
		{"{'$ref':'#/nowhere'}", "schema_reference /$ref"},
		{"{'$ref':'#nowhere'}", "schema_reference /$ref"},
		{"{'$ref':'#/$defs','$defs':{}}", "schema_reference /$ref"},
		{"{'$ref':'#/properties/a/enum/0','properties':{'a':{'enum':[{}]}}}", "schema_reference /$ref"},
		{"{'$ref':'#/prefixItems/01','prefixItems':[{},{}]}", "schema_reference /$ref"},
		{"{'$ref':'#/prefixItems/-1','prefixItems':[{},{}]}", "schema_reference /$ref"},
		{"{'$ref':'#/$defs/a~2b','$defs':{'a~2b':{}}}", "schema_reference /$ref"},
		{"{'$ref':1}", "schema_value /$ref"},
		{"{'$ref':'#'}", "schema_reference "},
		{"{'allOf':[{'$ref':'#'}]}", "schema_reference "},
		{"{'not':{'$ref':'#'}}", "schema_reference "},
		{"{'$defs':{'a':{'$ref':'#/$defs/b'},'b':{'anyOf':[{'$ref':'#/$defs/a'}]}}}",
		 "schema_reference /$defs/a"},
		{"{'dependentSchemas':{'a':{'$ref':'#'}}}", "schema_reference "},
		{"{'$defs':{'a':{'$anchor':'x'},'b':{'$anchor':'x'}}}", "schema_reference /$defs/b/$anchor"},
		{"{'$defs':{'a':{'$id':'http://example.com/a'}}}", "schema_reference /$defs/a/$id"},
		{"{'$schema':'http://json-schema.org/draft-07/schema#','properties':{'a':{'$ref':'#','maximum':1}}}",
		 "schema_reference /properties/a/$ref"},
		{"{'$ref':'http://x/','foo':1}", "schema_keyword /foo;schema_reference /$ref"},
	};
	RUN_HELD(t, rows);
}

/* FIRST, N times PIECE with # as the index, LAST. */
static struct kh_view many(struct kh_test *t, const char *first, const char *piece, size_t n, const char *last)
{
	struct kh_view text = {"", 0};
	struct kh_buf buf;

	kh_buf_init(&buf, &t->arena, 1U << 20);
	kh_buf_add(&buf, kh_view_str(first));
	for (size_t i = 0; i < n; i++) {
		for (const char *p = piece; *p != '\0'; p++) {
			if (*p == '#')
				kh_buf_printf(&buf, "%zu", i);
			else
				kh_buf_byte(&buf, *p == '\'' ? '"' : *p);
		}
	}
	kh_buf_add(&buf, kh_view_str(last));
	must(t, kh_buf_end(&buf, &text));
	return text;
}

/* A schema that is too large, too deep or too costly is refused before anything is checked with it. */
static void test_limits(struct kh_test *t)
{
	check_held(t, many(t, "{\"enum\":[0", ",1234567", 40000, "]}"), "size", KH_ELIMIT, "schema_limit ");
	check_held(t, many(t, "", "[", 65, "]"), "syntax", KH_EINPUT, "json_syntax ");
	check_held(t, many(t, "{\"a\":1,\"a\":2}", "", 0, ""), "twice", KH_EINPUT, "json_duplicate ");
}

/* 2^20 schemas for one value, by definitions that each ask for the next one twice. */
static void test_cost(struct kh_test *t)
{
	struct kh_view text = {"", 0};
	struct kh_buf buf;

	kh_buf_init(&buf, &t->arena, 1U << 16);
	kh_buf_lit(&buf, "{\"$defs\":{\"d20\":{}");
	for (unsigned i = 0; i < 20; i++)
		kh_buf_printf(&buf, ",\"d%u\":{\"allOf\":[{\"$ref\":\"#/$defs/d%u\"},{\"$ref\":\"#/$defs/d%u\"}]}", i,
			      i + 1, i + 1);
	kh_buf_lit(&buf, "}}");
	must(t, kh_buf_end(&buf, &text));
	struct kh_schema *schema = NULL;
	struct kh_reasons errors;
	kh_reasons_init(&errors, &t->arena);
	must_fail(t, KH_EREFUSED, kh_schema_new(&t->alloc, text, &schema, &errors));
	assert_true(errors.n > 0);
	assert_string_equal(errors.at[0].code, "schema_limit");
}

/* At most KH_SCHEMA_ERRORS faults are reported. */
static void test_many_errors(struct kh_test *t)
{
	struct kh_view text = many(t, "{\"a\":1", ",'b#':1", 100, "}");
	struct kh_schema *schema = NULL;
	struct kh_reasons errors;

	kh_reasons_init(&errors, &t->arena);
	must_fail(t, KH_EREFUSED, kh_schema_new(&t->alloc, text, &schema, &errors));
	assert_int_equal(errors.n, KH_SCHEMA_ERRORS);
}

/* G5: an unknown keyword is reported with the one that was probably meant. */
static void test_nearest(struct kh_test *t)
{
	struct kh_schema *schema = NULL;
	struct kh_reasons errors;

	kh_reasons_init(&errors, &t->arena);
	must_fail(t, KH_EREFUSED,
		  kh_schema_new(&t->alloc, kh_rows_text(t, "{'aditionalProperties':false}"), &schema, &errors));
	assert_view(errors.at[0].detail,
		    "the keyword \"aditionalProperties\" is not known; did you mean additionalProperties?");
}

/* The digest is of the canonical text, so the order of members does not change it; a format that is not checked is noted. */
static void test_canonical(struct kh_test *t)
{
	struct kh_schema *schema = kh_rows_new(t, "{'type':'string', 'format':'color','maxLength':2.0}");
	const struct kh_reasons *notes = kh_schema_notes(schema);
	struct kh_view text;

	assert_int_equal(notes->n, 1);
	assert_string_equal(notes->at[0].code, "format_unchecked");
	assert_view(notes->at[0].member, "/format");
	assert_view(notes->at[0].detail, "the format \"color\" is not checked");
	enum kh_err e = kh_schema_canonical(schema, &t->arena, &text, &t->err);
	kh_schema_free(schema);
	must(t, e);
	assert_view(text, "{\"format\":\"color\",\"maxLength\":2,\"type\":\"string\"}");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_unknown), KH_TEST(test_values),      KH_TEST(test_references), KH_TEST(test_limits),
	KH_TEST(test_cost),    KH_TEST(test_many_errors), KH_TEST(test_nearest),    KH_TEST(test_canonical),
};
KH_TEST_MAIN(cases)
