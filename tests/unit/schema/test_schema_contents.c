/* Members of objects and items of arrays. */
#include "rows.h"

static void test_members(struct kh_test *t)
{
	static const struct kh_row rows[] = {
		{"{'properties':{'a':{'type':'integer'},'b':{'type':'string'}}}",
		 "[{},{'a':1},{'a':1,'b':'x'},{'c':null},[],'a',1]", "[{'a':'x'},{'b':1},{'a':1,'b':null}]"},
		{"{'properties':{'a':true,'b':false}}", "[{},{'a':1}]", "[{'b':1},{'a':1,'b':2}]"},
		{"{'properties':{'':{'type':'string'},'a/b':{'type':'null'},'\\u00e9':{'type':'number'}}}",
		 "[{'':'','a/b':null,'\\u00e9':1}]", "[{'':1},{'a/b':0},{'\\u00e9':''}]"},
		{"{'properties':{'__proto__':{'type':'number'},'toString':{'type':'string'}}}",
		 "[{},{'__proto__':1,'toString':''}]", "[{'__proto__':''},{'toString':1}]"},
		{"{'required':['a']}", "[{'a':null},{'a':1,'b':2},[],null]", "[{},{'b':1},{'A':1}]"},
		{"{'required':['a','b'],'properties':{'c':{}}}", "[{'a':1,'b':2}]", "[{'a':1},{'b':1},{'c':1},{}]"},
		{"{'required':[]}", "[{}]", "[]"},
		{"{'additionalProperties':false}", "[{},[],1]", "[{'a':1},{'':0}]"},
		{"{'properties':{'a':{}},'additionalProperties':false}", "[{},{'a':1}]", "[{'b':1},{'a':1,'b':1}]"},
		{"{'properties':{'a':{}},'additionalProperties':{'type':'boolean'}}", "[{'a':1,'b':true},{}]",
		 "[{'b':1},{'a':true,'c':'x'}]"},
		{"{'patternProperties':{'^x-':{'type':'string'}},'additionalProperties':false}",
		 "[{'x-a':'1'},{},{'x-':''}]", "[{'x-a':1},{'y':'1'},{'x':'1'}]"},
		{"{'patternProperties':{'a':{'type':'integer'},'aa':{'maximum':5}}}", "[{'a':9},{'aa':5},{'b':'x'}]",
		 "[{'aa':6},{'a':'x'},{'baab':5.5}]"},
		{"{'properties':{'foo':{'type':'array','maxItems':3},'bar':{'type':'array'}},"
		 "'patternProperties':{'f.o':{'minItems':2}},'additionalProperties':{'type':'integer'}}",
		 "[{'foo':[1,2]},{'fxo':[1,2]},{'bar':[]},{'quux':3}]",
		 "[{'foo':[]},{'foo':[1,2,3,4]},{'fxo':[]},{'quux':'foo'}]"},
		{"{'propertyNames':{'maxLength':3}}", "[{},{'abc':1},[1]]", "[{'abcd':1},{'a':1,'abcde':2}]"},
		{"{'propertyNames':{'enum':['a','b']}}", "[{'a':1,'b':2}]", "[{'c':1}]"},
		{"{'propertyNames':{'pattern':'^[a-z]+$'},'additionalProperties':{'type':'string'}}", "[{'a':'x'}]",
		 "[{'A':'x'},{'a':1}]"},
		{"{'propertyNames':false}", "[{},[1]]", "[{'a':1}]"},
		{"{'minProperties':1,'maxProperties':2}", "[{'a':1},{'a':1,'b':2},'x']", "[{},{'a':1,'b':2,'c':3}]"},
		{"{'maxProperties':0}", "[{}]", "[{'a':1}]"},
	};
	KH_ROWS_RUN(t, rows);
}

static void test_dependencies(struct kh_test *t)
{
	static const struct kh_row rows[] = {
		{"{'dependentRequired':{'a':['b','c']}}", "[{},{'b':1},{'a':1,'b':1,'c':1},[]]",
		 "[{'a':1},{'a':1,'b':1},{'a':1,'c':1}]"},
		{"{'dependentRequired':{'a':[]}}", "[{},{'a':1}]", "[]"},
		{"{'dependentRequired':{'a':['b'],'b':['a']}}", "[{'a':1,'b':1},{}]", "[{'a':1},{'b':1}]"},
		{"{'dependentSchemas':{'a':{'properties':{'b':{'type':'integer'}},'required':['b']}}}",
		 "[{},{'b':'x'},{'a':1,'b':2}]", "[{'a':1},{'a':1,'b':'x'}]"},
		{"{'dependentSchemas':{'a':false,'b':true}}", "[{},{'b':1}]", "[{'a':1}]"},
		{"{'dependencies':{'a':['b'],'c':{'minProperties':2}}}", "[{},{'a':1,'b':1},{'c':1,'d':1}]",
		 "[{'a':1},{'c':1}]"},
		{"{'$schema':'http://json-schema.org/draft-07/schema#','dependencies':{'a':{'required':['b']}}}",
		 "[{'a':1,'b':1}]", "[{'a':1}]"},
		{"{'dependentRequired':{'a':['b']},'dependencies':{'a':['c']}}", "[{'a':1,'b':1,'c':1}]",
		 "[{'a':1,'b':1},{'a':1,'c':1}]"},
	};
	KH_ROWS_RUN(t, rows);
}

static void test_items(struct kh_test *t)
{
	static const struct kh_row rows[] = {
		{"{'items':{'type':'integer'}}", "[[],[1,2],{'0':'x'},'x']", "[['x'],[1,'x']]"},
		{"{'items':false}", "[[]]", "[[1],[null]]"},
		{"{'items':true}", "[[],[1,'x']]", "[]"},
		{"{'prefixItems':[{'type':'integer'},{'type':'string'}]}", "[[],[1],[1,'x'],[1,'x',null]]",
		 "[['x'],[1,1]]"},
		{"{'prefixItems':[{'type':'integer'}],'items':false}", "[[],[1]]", "[[1,2],['x']]"},
		{"{'prefixItems':[{}],'items':{'type':'string'}}", "[[1],[1,'x','y']]", "[[1,2],[1,'x',2]]"},
		{"{'items':[{'type':'integer'},{'type':'string'}]}", "[[],[1],[1,'x',null]]", "[['x'],[1,1]]"},
		{"{'items':[{'type':'integer'}],'additionalItems':{'type':'string'}}", "[[1],[1,'x']]",
		 "[[1,2],['x']]"},
		{"{'items':[{}],'additionalItems':false}", "[[],[1]]", "[[1,2]]"},
		{"{'items':[],'additionalItems':{'type':'string'}}", "[[],['x']]", "[[1]]"},
		{"{'$schema':'http://json-schema.org/draft-07/schema#','items':{},'additionalItems':false}", "[[1,2]]",
		 "[]"},
		{"{'minItems':1}", "[[1],'',{}]", "[[]]"},
		{"{'maxItems':2}", "[[],[1,2],'abc']", "[[1,2,3]]"},
		{"{'minItems':2,'maxItems':2}", "[[1,2]]", "[[],[1],[1,2,3]]"},
		{"{'uniqueItems':true}",
		 "[[],[1],[1,2],[1,true],[0,false],['1',1],[[1],[true]],[{'a':1},{'a':2}],{},'aa']",
		 "[[1,1],[1.0,1],[0,-0.0],['a','b','a'],[[1],[1.0]],[{'a':1,'b':2},{'b':2,'a':1}],[null,null],[{},{}],"
		 "[[],[]]]"},
		{"{'uniqueItems':false}", "[[1,1]]", "[]"},
		{"{'items':{'items':{'type':'number'}}}", "[[],[[]],[[1],[2,3]],['x']]", "[[['x']],[[1],['x']]]"},
	};
	KH_ROWS_RUN(t, rows);
}

static void test_contains(struct kh_test *t)
{
	static const struct kh_row rows[] = {
		{"{'contains':{'minimum':5}}", "[[5],[1,6],{},'x']", "[[],[1,2]]"},
		{"{'contains':true}", "[[1],[null]]", "[[]]"},
		{"{'contains':false}", "['x']", "[[],[1]]"},
		{"{'contains':{'const':1},'minContains':2}", "[[1,1],[1,2,1]]", "[[1],[],[2,2]]"},
		{"{'contains':{'const':1},'maxContains':1}", "[[1],[1,2]]", "[[1,1],[]]"},
		{"{'contains':{'const':1},'minContains':0}", "[[],[2],[1]]", "[]"},
		{"{'contains':{'const':1},'minContains':0,'maxContains':1}", "[[],[1]]", "[[1,1]]"},
		{"{'contains':{'const':1},'minContains':2,'maxContains':1}", "[]", "[[1],[1,1],[]]"},
		{"{'minContains':2,'maxContains':0}", "[[],[1]]", "[]"},
		{"{'items':{'multipleOf':2},'contains':{'multipleOf':3}}", "[[6,12],[2,6]]", "[[2,4],[3,9],[1,5]]"},
		{"{'prefixItems':[{}],'contains':{'type':'string'}}", "[['x'],[1,'x']]", "[[],[1]]"},
	};
	KH_ROWS_RUN(t, rows);
}

/* Only what nothing else looked at is unevaluated: what failed, and what a cousin looked at, does not count. */
static void test_unevaluated(struct kh_test *t)
{
	static const struct kh_row rows[] = {
		{"{'unevaluatedProperties':false}", "[{},[],1]", "[{'a':1}]"},
		{"{'properties':{'a':{}},'unevaluatedProperties':false}", "[{'a':1},{}]", "[{'a':1,'b':1}]"},
		{"{'properties':{'a':{}},'unevaluatedProperties':{'type':'string'}}", "[{'a':1,'b':'x'}]", "[{'b':1}]"},
		{"{'patternProperties':{'^a':{}},'unevaluatedProperties':false}", "[{'ab':1}]", "[{'b':1}]"},
		{"{'additionalProperties':true,'unevaluatedProperties':false}", "[{'a':1}]", "[]"},
		{"{'allOf':[{'properties':{'a':{}}}],'unevaluatedProperties':false}", "[{'a':1}]", "[{'b':1}]"},
		{"{'properties':{'a':{}},'allOf':[{'unevaluatedProperties':false}]}", "[{}]", "[{'a':1}]"},
		{"{'allOf':[{'properties':{'a':{}}},{'unevaluatedProperties':false}]}", "[{}]", "[{'a':1}]"},
		{"{'anyOf':[{'properties':{'a':{'const':1}},'required':['a']},{'properties':{'b':{'const':1}},"
		 "'required':['b']}],'unevaluatedProperties':false}",
		 "[{'a':1},{'b':1},{'a':1,'b':1}]", "[{'a':1,'b':2},{'a':2,'b':1},{'a':1,'c':1}]"},
		{"{'oneOf':[{'properties':{'a':{}},'required':['a']},{'properties':{'b':{}},'required':['b']}],"
		 "'unevaluatedProperties':false}",
		 "[{'a':1},{'b':1}]", "[{'a':1,'b':1},{'a':1,'c':1}]"},
		{"{'not':{'not':{'properties':{'a':{}},'required':['a']}},'unevaluatedProperties':false}", "[]",
		 "[{'a':1}]"},
		{"{'if':{'properties':{'a':{'const':1}},'required':['a']},'then':{'properties':{'b':{}}},"
		 "'else':{'properties':{'c':{}}},'unevaluatedProperties':false}",
		 "[{'a':1,'b':1},{'c':1},{}]", "[{'a':1,'c':1},{'a':2,'c':1},{'b':1}]"},
		{"{'$ref':'#/$defs/x','unevaluatedProperties':false,'$defs':{'x':{'properties':{'a':{}}}}}",
		 "[{'a':1}]", "[{'b':1}]"},
		{"{'dependentSchemas':{'a':{'properties':{'a':{},'b':{}}}},'unevaluatedProperties':false}",
		 "[{'a':1,'b':1},{}]", "[{'b':1}]"},
		{"{'properties':{'in':{'properties':{'a':{}},'unevaluatedProperties':false}}}",
		 "[{'in':{'a':1},'b':1}]", "[{'in':{'b':1}}]"},
		{"{'unevaluatedProperties':false,'allOf':[{'unevaluatedProperties':true}]}", "[{'a':1}]", "[]"},
		{"{'unevaluatedItems':false}", "[[],{'a':1}]", "[[1]]"},
		{"{'prefixItems':[{}],'unevaluatedItems':false}", "[[1]]", "[[1,2]]"},
		{"{'items':{},'unevaluatedItems':false}", "[[1,2]]", "[]"},
		{"{'prefixItems':[{}],'unevaluatedItems':{'type':'string'}}", "[[1,'x']]", "[[1,2]]"},
		{"{'allOf':[{'prefixItems':[{},{}]}],'unevaluatedItems':false}", "[[1,2]]", "[[1,2,3]]"},
		{"{'anyOf':[{'prefixItems':[{'const':1}]},{'prefixItems':[{},{'const':2}]}],'unevaluatedItems':false}",
		 "[[1],[5,2],[1,2]]", "[[1,3],[1,2,3]]"},
		{"{'contains':{'type':'string'},'unevaluatedItems':false}", "[['x'],['x','y']]", "[[1,'x'],[]]"},
		{"{'$schema':'https://json-schema.org/draft/2019-09/schema','contains':{'type':'string'},"
		 "'unevaluatedItems':{'type':'string'}}",
		 "[['x']]", "[['x',1]]"},
		{"{'$schema':'https://json-schema.org/draft/2019-09/schema','items':[{}],'unevaluatedItems':false}",
		 "[[1]]", "[[1,2]]"},
	};
	KH_ROWS_RUN(t, rows);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_members),  KH_TEST(test_dependencies), KH_TEST(test_items),
	KH_TEST(test_contains), KH_TEST(test_unevaluated),
};
KH_TEST_MAIN(cases)
