/* Several schemas for one value, and references. */
#include "rows.h"

static void test_together(struct kh_test *t)
{
	static const struct kh_row rows[] = {
		{"{'allOf':[{'minimum':1},{'maximum':3}]}", "[1,3,'x']", "[0,4]"},
		{"{'allOf':[true,true]}", "[1]", "[]"},
		{"{'allOf':[true,false]}", "[]", "[1,null]"},
		{"{'allOf':[{'required':['a']},{'required':['b']}],'properties':{'a':{'type':'null'}}}",
		 "[{'a':null,'b':1}]", "[{'a':null},{'b':1},{'a':1,'b':1}]"},
		{"{'anyOf':[{'type':'integer'},{'minimum':2}]}", "[1,2.5,3,'x']", "[1.5]"},
		{"{'type':'string','anyOf':[{'maxLength':2},{'minLength':4}]}", "['ab','abcd']", "['abc',1]"},
		{"{'anyOf':[true,false]}", "[1]", "[]"},
		{"{'anyOf':[false,false]}", "[]", "[1]"},
		{"{'oneOf':[{'type':'integer'},{'minimum':2}]}", "[1,2.5]", "[3,1.5]"},
		{"{'oneOf':[true,true]}", "[]", "[1]"},
		{"{'oneOf':[true,false,false]}", "[1]", "[]"},
		{"{'oneOf':[{'required':['a']},{'required':['b']}]}", "[{'a':1},{'b':1}]", "[{},{'a':1,'b':1},1]"},
		{"{'not':{'type':'integer'}}", "['x',1.5,null]", "[1,1.0]"},
		{"{'not':{'type':['integer','boolean']}}", "['x']", "[1,true]"},
		{"{'not':{}}", "[]", "[1,null,{}]"},
		{"{'not':false}", "[1,null]", "[]"},
		{"{'not':{'not':{'type':'null'}}}", "[null]", "[1]"},
		{"{'properties':{'a':{'not':{}}}}", "[{},{'b':1}]", "[{'a':1}]"},
		{"{'if':{'minimum':10},'then':{'multipleOf':2},'else':{'multipleOf':3}}", "[12,9,-3]", "[11,4]"},
		{"{'if':{'minimum':10},'then':{'multipleOf':2}}", "[12,9,4]", "[11]"},
		{"{'if':{'minimum':10},'else':{'multipleOf':3}}", "[11,9]", "[4]"},
		{"{'if':false,'then':false}", "[1]", "[]"},
		{"{'if':true,'else':false}", "[1]", "[]"},
		{"{'then':false,'else':false}", "[1]", "[]"},
		{"{'type':'object','properties':{'kind':{'enum':['a','b']}},'required':['kind'],"
		 "'if':{'properties':{'kind':{'const':'a'}}},'then':{'required':['x']},'else':{'required':['y']}}",
		 "[{'kind':'a','x':1},{'kind':'b','y':1}]", "[{'kind':'a','y':1},{'kind':'b'},{'x':1,'y':1}]"},
		{"{'allOf':[{'anyOf':[{'const':1},{'const':2}]},{'not':{'const':2}}]}", "[1]", "[2,3]"},
	};
	KH_ROWS_RUN(t, rows);
}

static void test_references(struct kh_test *t)
{
	static const struct kh_row rows[] = {
		{"{'$ref':'#/$defs/a','$defs':{'a':{'type':'integer'}}}", "[1]", "['x']"},
		{"{'$ref':'#/definitions/a','definitions':{'a':{'type':'integer'}}}", "[1]", "['x']"},
		{"{'$ref':'#/$defs/a','maximum':5,'$defs':{'a':{'type':'integer'}}}", "[1]", "['x',6]"},
		{"{'properties':{'a':{'type':'integer'},'b':{'$ref':'#/properties/a'}}}", "[{'b':1}]", "[{'b':'x'}]"},
		{"{'prefixItems':[{'type':'integer'},{'$ref':'#/prefixItems/0'}]}", "[[1,2]]", "[[1,'x']]"},
		{"{'$defs':{'a/b':{'type':'integer'},'c~d':{'type':'string'},'e%f':{'type':'null'}},"
		 "'properties':{'x':{'$ref':'#/$defs/a~1b'},'y':{'$ref':'#/$defs/c~0d'},'z':{'$ref':'#/$defs/e%25f'}}}",
		 "[{'x':1,'y':'','z':null}]", "[{'x':''},{'y':1},{'z':1}]"},
		{"{'properties':{'next':{'$ref':'#'}},'additionalProperties':false}", "[{},{'next':{'next':{}}}]",
		 "[{'x':1},{'next':{'next':{'x':1}}}]"},
		{"{'$ref':'#/$defs/tree','$defs':{'tree':{'type':'object','properties':{'v':{'type':'number'},"
		 "'kids':{'type':'array','items':{'$ref':'#/$defs/tree'}}},'required':['v']}}}",
		 "[{'v':1},{'v':1,'kids':[{'v':2,'kids':[{'v':3}]}]}]",
		 "[{},{'v':1,'kids':[{}]},{'v':1,'kids':[{'v':2,'kids':[{'v':'x'}]}]}]"},
		{"{'$ref':'#thing','$defs':{'a':{'$anchor':'thing','type':'integer'}}}", "[1]", "['x']"},
		{"{'$ref':'#/$defs/a','$defs':{'a':{'$ref':'#/$defs/b'},'b':{'$ref':'#/$defs/c'},'c':{'type':'null'}}}",
		 "[null]", "[1]"},
		{"{'properties':{'$ref':{'type':'string'}}}", "[{'$ref':'a'}]", "[{'$ref':1}]"},
		{"{'properties':{'$ref':{'$ref':'#/$defs/s'}},'$defs':{'s':{'type':'string'}}}", "[{'$ref':'a'}]",
		 "[{'$ref':1}]"},
		{"{'$ref':'#/$defs/no','$defs':{'no':false}}", "[]", "[1]"},
		{"{'const':{'$ref':'#/nowhere'}}", "[{'$ref':'#/nowhere'}]", "[1]"},
		{"{'$schema':'http://json-schema.org/draft-07/schema','properties':{'a':{'$ref':'#/definitions/x',"
		 "'description':'said beside'}},'definitions':{'x':{'type':'string'}}}",
		 "[{'a':''}]", "[{'a':1}]"},
		{"{'$id':'https://example.com/s','$ref':'#/$defs/a','$defs':{'a':{'type':'integer'}}}", "[1]", "['x']"},
	};
	KH_ROWS_RUN(t, rows);
}

/* What says nothing of a value has no effect. */
static void test_annotations(struct kh_test *t)
{
	static const struct kh_row rows[] = {
		{"{'title':'x','description':'y','default':1,'examples':[2],'$comment':'z','deprecated':true,"
		 "'readOnly':true,'writeOnly':false,'contentEncoding':'base64','contentMediaType':'image/png',"
		 "'x-mcp-header':'Region'}",
		 "[null,'x',1]", "[]"},
		{"{'type':'string','default':1}", "['x']", "[1]"},
		{"{'$schema':'https://json-schema.org/draft/2020-12/schema','type':'string'}", "['x']", "[1]"},
		{"{'$schema':'https://json-schema.org/draft/2020-12/schema#'}", "[1]", "[]"},
		{"{'$schema':'http://json-schema.org/draft-07/schema#'}", "[1]", "[]"},
		{"{'$schema':'https://json-schema.org/draft/2019-09/schema'}", "[1]", "[]"},
		{"{'type':'string','format':'something-else'}", "['x']", "[1]"},
		{"{'type':'string','format':'json'}", "['x']", "[1]"},
	};
	KH_ROWS_RUN(t, rows);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_together),
	KH_TEST(test_references),
	KH_TEST(test_annotations),
};
KH_TEST_MAIN(cases)
