/* Types, enums, numbers and strings against schemas. */
#include "rows.h"

/* U5: a value is of one of the types; an integer is a number without a fraction, however it is written. */
static void test_types(struct kh_test *t)
{
	static const struct kh_row rows[] = {
		{"true", "[null,1,'a',{},[]]", "[]"},
		{"false", "[]", "[null,1,'a',{},[]]"},
		{"{}", "[null,true,0,-1.5,'',{'a':[]},[[]]]", "[]"},
		{"{'type':'null'}", "[null]", "[false,0,'',[],{},'null']"},
		{"{'type':'boolean'}", "[true,false]", "[null,0,1,'true',[],{}]"},
		{"{'type':'object'}", "[{},{'a':1}]", "[null,[],'{}',0]"},
		{"{'type':'array'}", "[[],[1]]", "[null,{},'[]',0]"},
		{"{'type':'string'}", "['','1','\\u00e9']", "[null,1,[],{},true]"},
		{"{'type':'number'}", "[0,-1,1.5,1e300,-0,18446744073709551615]", "[null,'1',[],{},true]"},
		{"{'type':'integer'}", "[0,-1,1.0,1e3,-0.0,9007199254740993,1e300]", "[1.5,0.1,'1',null,true,-1e-3]"},
		{"{'type':['string','null']}", "['',null]", "[0,false,[],{}]"},
		{"{'type':['integer','string']}", "[1,'a',2.0]", "[1.5,null,[]]"},
		{"{'type':['number','integer']}", "[1.5,1]", "['1']"},
		{"{'type':['null','boolean','object','array','number','string','integer']}", "[null,true,{},[],1,'']",
		 "[]"},
	};
	KH_ROWS_RUN(t, rows);
}

/* Values are compared by what they are: numbers exactly, objects without the order of their members. */
static void test_values(struct kh_test *t)
{
	static const struct kh_row rows[] = {
		{"{'enum':['a','b',null,1]}", "['a','b',null,1,1.0]", "['A','',0,true,[],'1']"},
		{"{'enum':[{'a':1,'b':[1,2]}]}", "[{'b':[1,2],'a':1},{'a':1.0,'b':[1,2.0]}]",
		 "[{'a':1},{'a':1,'b':[2,1]},{'a':1,'b':[1,2],'c':0},[]]"},
		{"{'enum':[[1,'x'],[]]}", "[[1,'x'],[]]", "[['x',1],[1],[[]],{}]"},
		{"{'enum':[]}", "[]", "[null,0]"},
		{"{'enum':[true]}", "[true]", "[1,'true',false]"},
		{"{'enum':[0]}", "[0,0.0,-0,-0.0]", "[false,null,'',[]]"},
		{"{'const':null}", "[null]", "[0,false,'',[],{}]"},
		{"{'const':0.1}", "[0.1,1e-1,0.10]", "[0.2,0.1000001,'0.1']"},
		{"{'const':9007199254740993}", "[9007199254740993]", "[9007199254740992,9007199254740994]"},
		{"{'const':-9223372036854775808}", "[-9223372036854775808]", "[-9223372036854775807]"},
		{"{'const':1e400}", "[]", "[]"},
		{"{'const':{'a':{'b':[]}}}", "[{'a':{'b':[]}}]", "[{'a':{'b':{}}},{'a':{}},{}]"},
		{"{'const':'\\u00e9'}", "['\\u00e9']", "['e\\u0301','e']"},
		{"{'type':'string','enum':['a',1]}", "['a']", "[1,'b']"},
	};
	struct kh_reasons errors;
	struct kh_schema *schema;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strstr(rows[i].schema, "1e400") == NULL)
			kh_rows_run(t, &rows[i], 1);
	}
	/* A number that no double holds is not read at all. */
	kh_reasons_init(&errors, &t->arena);
	must_fail(t, KH_EINPUT, kh_schema_new(&t->alloc, kh_rows_text(t, "{'const':1e400}"), &schema, &errors));
	assert_view(kh_rows_reported(t, &errors), "json_syntax ");
}

/* Limits are exact: no step over a double changes what is more. */
static void test_numbers(struct kh_test *t)
{
	static const struct kh_row rows[] = {
		{"{'minimum':1.1}", "[1.1,2.6,'x',null,1.10]", "[0.6,1.0999999999999999,-2]"},
		{"{'minimum':-2}", "[-2,-2.0,-1,0]", "[-2.0001,-3]"},
		{"{'maximum':3}", "[3,3.0,2.6,-1e300]", "[3.0000001,4]"},
		{"{'maximum':9007199254740992}", "[9007199254740992,-1]", "[9007199254740993,1e16]"},
		{"{'maximum':18446744073709551614}", "[18446744073709551614]", "[18446744073709551615,1e20]"},
		{"{'minimum':-9223372036854775807}", "[-9223372036854775807]", "[-9223372036854775808,-1e19]"},
		{"{'minimum':9007199254740993}", "[9007199254740993,9007199254740994]", "[9007199254740992]"},
		{"{'exclusiveMinimum':1.1}", "[1.2,1.1000000000000003]", "[1.1,1.10,0]"},
		{"{'exclusiveMaximum':0}", "[-1,-1e-300]", "[0,-0.0,0.0,1]"},
		{"{'exclusiveMaximum':1e300}", "[9.99e299]", "[1e300,1e301]"},
		{"{'minimum':0,'maximum':10}", "[0,10,5.5]", "[-1,11,10.01]"},
		{"{'minimum':0,'exclusiveMaximum':10}", "[0,9.99]", "[10,-0.01]"},
		{"{'multipleOf':2}", "[0,4,-6,1e10,'x']", "[7,1.5,-1]"},
		{"{'multipleOf':0.1}", "[0.3,0.7,1.1,1e300,0,19.9,-0.6]", "[0.35,0.01,1e-300]"},
		{"{'multipleOf':0.01}", "[0.07,4.35,1.15,19.99,1]", "[0.001,4.355]"},
		{"{'multipleOf':1e-8}", "[12391239123,1e-7,0.00000003]", "[1e-9]"},
		{"{'multipleOf':0.123456789}", "[0.123456789,0.246913578]", "[1e308,0.2]"},
		{"{'multipleOf':3}", "[9007199254740993,18446744073709551615]", "[9007199254740992,1e15]"},
		{"{'multipleOf':1.5}", "[3,4.5,-1.5]", "[1,2.25]"},
		{"{'type':'integer','multipleOf':0.5}", "[1,2.0,1e308]", "[0.5]"},
	};
	KH_ROWS_RUN(t, rows);
}

/* Length is counted in characters, and a pattern is looked for anywhere. */
static void test_strings(struct kh_test *t)
{
	static const struct kh_row rows[] = {
		{"{'minLength':2}", "['fo','foo','\\ud83d\\udca9\\u00e9',1,[]]", "['','f','\\ud83d\\udca9']"},
		{"{'maxLength':2}", "['','fo','\\ud83d\\udca9\\ud83d\\udca9',123]",
		 "['foo','\\u00e9\\u00e9\\u00e9','e\\u0301e']"},
		{"{'minLength':2.0,'maxLength':3}", "['ab','abc']", "['a','abcd']"},
		{"{'maxLength':0}", "['']", "['a',' ']"},
		{"{'pattern':'^a*$'}", "['','aaa',1,null]", "['abc','b','a\\n']"},
		{"{'pattern':'a+'}", "['xxaayy','a']", "['xxyy','']"},
		{"{'pattern':'^.$'}", "['x','\\u00e9','\\ud83d\\ude00']", "['','xy','\\n','\\u2028']"},
		{"{'pattern':'^a','minLength':3}", "['abc']", "['ab','bcd','']"},
		{"{'pattern':''}", "['','x']", "[]"},
		{"{'type':'string','pattern':'^[^/]+/[^/]+$'}", "['a/b']", "['a','a/b/c','/b',1]"},
	};
	KH_ROWS_RUN(t, rows);
}

static void check_value(struct kh_test *t, struct kh_schema *schema, struct kh_view text, enum kh_err want,
			const char *reported)
{
	struct kh_reasons errors;
	yyjson_val *value = NULL;
	enum kh_err e = kh_json_read(&t->arena, text, &value, &t->err);

	kh_reasons_init(&errors, &t->arena);
	if (e == KH_OK)
		e = kh_schema_check(schema, &t->arena, value, &errors);
	if (e == KH_ENOMEM)
		kh_schema_free(schema);
	must_fail(t, want, e);
	assert_view(kh_rows_reported(t, &errors), reported);
}

static struct kh_view repeated(struct kh_test *t, const char *first, const char *piece, size_t n, const char *last)
{
	size_t a = strlen(first), b = strlen(piece), c = strlen(last);
	char *p = kh_arena_alloc(&t->arena, a + n * b + c + 1);

	must(t, kh_arena_check(&t->arena));
	memcpy(p, first, a);
	for (size_t i = 0; i < n; i++)
		memcpy(p + a + i * b, piece, b);
	memcpy(p + a + n * b, last, c);
	return kh_view_of(p, a + n * b + c);
}

/* What would take too long is refused, and nothing of a schema or a value takes longer than its steps. */
static void test_cost(struct kh_test *t)
{
	struct kh_schema *schema = kh_rows_new(t, "{'pattern':'(x+x+)+y'}");
	check_value(t, schema, repeated(t, "\"", "x", 20000, "\""), KH_EREFUSED, "pattern_mismatch ");
	check_value(t, schema, repeated(t, "\"", "x", 20000, "y\""), KH_OK, "");
	kh_schema_free(schema);

	schema = kh_rows_new(t, "{'pattern':'(a?){500}a{500}$'}");
	check_value(t, schema, repeated(t, "\"", "a", 100000, "\""), KH_OK, "");
	kh_schema_free(schema);

	schema = kh_rows_new(t, "{'pattern':'^x(.?){900}b'}");
	check_value(t, schema, repeated(t, "\"", "b", 100000, "\""), KH_ELIMIT, "too_costly ");
	kh_schema_free(schema);

	/* Sixteen alternatives at each of sixty levels would be 16^60 ways. */
	schema = kh_rows_new(t, "{'anyOf':[{'type':'array','items':{'$ref':'#'}},{'items':{'$ref':'#'},'type':'array'},"
				"{'type':'array','items':{'$ref':'#'},'minItems':1},{'const':1}]}");
	check_value(t, schema,
		    repeated(t, "", "[", 60, "0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"),
		    KH_ELIMIT, "too_costly ");
	check_value(t, schema,
		    repeated(t, "", "[", 60, "1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"), KH_OK,
		    "");
	kh_schema_free(schema);

	schema = kh_rows_new(t, "{'uniqueItems':true}");
	check_value(t, schema, repeated(t, "[", "1,", 50000, "1]"), KH_EREFUSED, "not_unique /1");
	kh_schema_free(schema);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_types),   KH_TEST(test_values),    KH_TEST(test_numbers),
	KH_TEST(test_strings), KH_TEST_ONCE(test_cost),
};
KH_TEST_MAIN(cases)
