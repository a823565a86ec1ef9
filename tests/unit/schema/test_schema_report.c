/* G5: all errors of a value at once, each with its place, what was expected and what was there. */
#include "rows.h"

#include "base/utf8.h"

struct report {
	const char *schema, *value, *reported;
	const char *detail; /* of the first; NULL: whatever it is */
};

static void run_report(struct kh_test *t, const struct report *row)
{
	yyjson_val *value = NULL;
	struct kh_reasons errors;
	struct kh_schema *schema;

	must(t, kh_json_read(&t->arena, kh_rows_text(t, row->value), &value, &t->err));
	schema = kh_rows_new(t, row->schema);
	kh_reasons_init(&errors, &t->arena);
	enum kh_err e = kh_schema_check(schema, &t->arena, value, &errors);
	kh_schema_free(schema);
	must_fail(t, KH_EREFUSED, e);
	assert_view(kh_rows_reported(t, &errors), row->reported);
	if (row->detail != NULL)
		kh_test_assert_view(errors.at[0].detail, kh_rows_text(t, row->detail), __FILE__, __LINE__);
}

static void test_reports(struct kh_test *t)
{
	static const struct report rows[] = {
		{"{'type':'string'}", "1", "wrong_type ", "expected string, not 1"},
		{"{'type':['string','null']}", "[1,2]", "wrong_type ", "expected null or string, not an array of 2"},
		{"{'type':'integer'}", "1.25", "wrong_type ", "expected integer, not 1.25"},
		{"{'enum':['red','green']}", "'gren'", "bad_value ",
		 "expected one of: 'red', 'green'; not 'gren'; did you mean 'green'?"},
		{"{'enum':[1,null]}", "{}", "bad_value ", "expected one of: 1, null; not an object"},
		{"{'const':'x'}", "true", "bad_value ", "expected 'x', not true"},
		{"{'minimum':0.5}", "0.25", "out_of_range ", "expected at least 0.5, not 0.25"},
		{"{'exclusiveMaximum':10}", "10", "out_of_range ", "expected less than 10, not 10"},
		{"{'maximum':5}", "1e25", "out_of_range ", "expected at most 5, not 1e25"},
		{"{'exclusiveMinimum':0}", "-0.00000001", "out_of_range ", "expected more than 0, not -1e-8"},
		{"{'multipleOf':5}", "12", "not_multiple ", "expected a multiple of 5, not 12"},
		{"{'minLength':3}", "'\\u00e9'", "too_short ", "expected 3 characters or more, not 1"},
		{"{'minLength':1}", "''", "empty ", NULL},
		{"{'maxLength':1}", "'ab'", "too_long ", "expected at most 1 characters, not 2"},
		{"{'pattern':'^a'}", "'b'", "pattern_mismatch ", "expected text that matches '^a', not 'b'"},
		{"{'format':'date'}", "'2026-02-30'", "format_mismatch ",
		 "expected a date such as 2026-11-16, not '2026-02-30'"},
		{"{'minItems':1}", "[]", "empty ", "expected 1 items or more, not 0"},
		{"{'minItems':2}", "[1]", "too_few ", NULL},
		{"{'maxItems':1}", "[1,2]", "too_many ", NULL},
		{"{'uniqueItems':true}", "[1,2,1]", "not_unique /2", NULL},
		{"{'contains':{'const':1}}", "[2]", "too_few ", NULL},
		{"{'required':['a'],'properties':{'a':{'type':'string'}}}", "{}", "missing /a",
		 "it must be there: string"},
		{"{'dependentRequired':{'a':['b']}}", "{'a':1}", "missing /b", NULL},
		{"{'properties':{'path':{}},'additionalProperties':false}", "{'paht':1}", "unknown_member /paht",
		 "there is no such member here; did you mean 'path'?"},
		{"{'unevaluatedProperties':false,'properties':{'path':{}}}", "{'paths':1}", "unknown_member /paths",
		 "there is no such member here; did you mean 'path'?"},
		{"{'propertyNames':{'maxLength':1}}", "{'ab':1}", "bad_name /ab", NULL},
		{"{'not':{'type':'string'}}", "'x'", "not_allowed ", NULL},
		{"{'properties':{'a':false}}", "{'a':1}", "not_allowed /a", NULL},
		{"{'oneOf':[{'minimum':1},{'maximum':3}]}", "2", "several_alternatives ", NULL},
		{"{'anyOf':[{'type':'string'},{'type':'null'}]}", "1", "wrong_type ", "expected null or string, not 1"},
		{"{'anyOf':[{'minLength':3},{'pattern':'^z'}]}", "'a'", "no_alternative ", NULL},
		{"{'if':{'required':['a']},'then':{'required':['b']}}", "{'a':1}", "missing /b", NULL},
		{"{'$ref':'#/$defs/a','$defs':{'a':{'type':'null'}}}", "1", "wrong_type ", NULL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		run_report(t, &rows[i]);
}

/* Of several alternatives the one that was meant is explained. */
static void test_meant(struct kh_test *t)
{
	static const struct report rows[] = {
		{"{'anyOf':[{'type':'string','maxLength':2},{'type':'integer','maximum':5}]}", "9", "out_of_range ",
		 NULL},
		{"{'oneOf':[{'type':'object','properties':{'kind':{'const':'a'},'x':{'type':'string'}},"
		 "'required':['kind','x']},{'type':'object','properties':{'kind':{'const':'b'}},'required':['kind']}]}",
		 "{'kind':'a','x':1}", "wrong_type /x", NULL},
		{"{'oneOf':[{'$ref':'#/$defs/a'},{'$ref':'#/$defs/b'}],'$defs':{'a':{'type':'object','properties':"
		 "{'t':{'enum':['a']},'n':{'type':'null'}},'required':['t']},'b':{'type':'object','properties':"
		 "{'t':{'enum':['b']}},'required':['t']}}}",
		 "{'t':'a','n':1}", "wrong_type /n", NULL},
		{"{'anyOf':[{'type':'object','required':['a']},{'type':'object','required':['b']}]}", "{}",
		 "no_alternative ", NULL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		run_report(t, &rows[i]);
}

static void test_all_at_once(struct kh_test *t)
{
	static const struct report rows[] = {
		{"{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'array','items':{'type':'integer'}},"
		 "'c/d':{'properties':{'~':{'maximum':1}}}},'required':['a','z'],'additionalProperties':false}",
		 "{'a':1,'b':[1,'x',2.5],'c/d':{'~':2},'q':0}",
		 "wrong_type /a;wrong_type /b/1;wrong_type /b/2;out_of_range /c~1d/~0;unknown_member /q;missing /z",
		 NULL},
		{"{'minLength':3,'pattern':'^b','enum':['bcd']}", "'a'", "bad_value ;too_short ;pattern_mismatch ",
		 NULL},
		{"{'allOf':[{'minimum':5},{'multipleOf':2}]}", "3", "out_of_range ;not_multiple ", NULL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		run_report(t, &rows[i]);
}

/* I-25: what is in a message can be shown, and is short, whatever the value is; and there are not too many. */
static void test_hostile(struct kh_test *t)
{
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_reasons errors;
	struct kh_schema *schema;
	yyjson_val *value = NULL;

	for (size_t i = 0; i < 40; i++) {
		struct kh_view name = kh_arena_printf(&t->arena, "%zu\x1b[2J\n%0300d", i, 7);
		yyjson_mut_obj_add_val(doc, obj, name.p, yyjson_mut_strncpy(doc, name.p, name.n));
	}
	must(t, kh_arena_check(&t->arena));
	must(t, kh_json_freeze(&t->arena, obj, &value, &t->err));
	schema = kh_rows_new(t, "{'additionalProperties':{'type':'integer'}}");
	kh_reasons_init(&errors, &t->arena);
	enum kh_err e = kh_schema_check(schema, &t->arena, value, &errors);
	kh_schema_free(schema);
	must_fail(t, KH_EREFUSED, e);
	assert_int_equal(errors.n, KH_SCHEMA_ERRORS);
	for (size_t i = 0; i < errors.n; i++) {
		assert_true(kh_utf8_is_visible(errors.at[i].member) && errors.at[i].member.n < 100);
		assert_true(kh_utf8_is_visible(errors.at[i].detail) && errors.at[i].detail.n < 200);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_reports),
	KH_TEST(test_meant),
	KH_TEST(test_all_at_once),
	KH_TEST(test_hostile),
};
KH_TEST_MAIN(cases)
