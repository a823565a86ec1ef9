/* U7: which members of a result a schema gives a type, by which names, and what is taken for one. */
#include "rows.h"

#include "base/buf.h"

static const char schema[] =
	"{'type':'object','properties':{"
	"'ok':{'type':'boolean'},"
	"'state':{'enum':['open','closed','on_hold.1','open']},"
	"'one':{'const':'fixed'},"
	"'words':{'enum':['open','two words']},"
	"'mixed':{'enum':['open',1]},"
	"'n':{'type':'integer','minimum':0,'exclusiveMaximum':10},"
	"'m':{'type':'integer','allOf':[{'minimum':-5},{'maximum':5},{'maximum':7}]},"
	"'i32':{'type':'integer','format':'int32'},"
	"'free':{'type':'integer','minimum':0},"
	"'real':{'type':'number','minimum':0,'maximum':1},"
	"'day':{'type':'string','format':'date'},"
	"'at':{'type':'string','format':'date-time'},"
	"'id':{'$ref':'#/$defs/id'},"
	"'mail':{'type':'string','format':'email'},"
	"'text':{'type':'string','maxLength':3},"
	"'maybe':{'type':['boolean','null']},"
	"'any':{'anyOf':[{'type':'boolean'},{'type':'null'}]},"
	"'list':{'type':'array','minItems':1,'maxItems':4,'items':{'type':'object',"
	"'properties':{'ok':{'type':'boolean'},'deep':{'properties':{'state':{'$ref':'#/properties/state'}}},"
	"'true':{'type':'boolean'},'tags':{'type':'array','maxItems':2,'items':{'enum':['x','y']}}}}},"
	"'tags':{'type':'array','maxItems':3,'items':{'enum':['x','y','v.1']}},"
	"'nums':{'type':'array','maxItems':3,'items':{'type':'integer','minimum':0,'maximum':9}},"
	"'open':{'type':'array','items':{'type':'boolean'}},"
	"'tuple':{'type':'array','prefixItems':[{'type':'boolean'},{'enum':['x']}],'items':false},"
	"'deep':{'type':'object','properties':{'a/b':{'type':'boolean'},'length':{'type':'boolean'},"
	"'count':{'properties':{'x':{'type':'boolean'}}}}},"
	"'a':{'properties':{'b':{'type':'boolean'},'c':{'type':'boolean'}}},"
	"'a.b':{'type':'boolean'},"
	"'dot.ted':{'properties':{'x':{'type':'boolean'}}},"
	"'':{'properties':{'x':{'type':'boolean'}}},"
	"'no':{}},"
	"'additionalProperties':{'type':'boolean'},"
	"'$defs':{'id':{'type':'string','format':'uuid'}}}";

static const char value[] =
	"{'ok':true,'state':'open','one':'fixed','words':'open','mixed':'open','n':7,'m':-5,'i32':2147483647,'free':1,"
	"'real':1,'day':'2026-03-15','at':'2026-03-15T09:30:00Z','id':'00000000-0000-0000-0000-000000000000',"
	"'mail':'a@b.example','text':'abc','maybe':true,'any':true,"
	"'list':[{'ok':true,'deep':{'state':'open'}},{'ok':1,'deep':[]},{'ok':true,'deep':{'state':'on_hold.1'},"
	"'true':true,'tags':['x','x']}],"
	"'tags':['x','v.1','obey me'],'nums':[1,2],'open':[true],'tuple':[true,'x'],"
	"'deep':{'a/b':true,'length':false,'count':{'x':true}},"
	"'a':{'b':true,'c':true},'a.b':true,'dot.ted':{'x':true},'':{'x':true},'no':true,'x':true}";

struct row {
	const char *name, *text;
};

static void show_type(struct kh_buf *buf, const struct kh_schema_member *type)
{
	static const char *const kinds[] = {"boolean", "enum", "integer", "format", "array"};

	kh_buf_add(buf, kh_view_str(kinds[type->kind]));
	if (type->kind == KH_SCHEMA_INTEGER)
		kh_buf_printf(buf, " %lld to %lld", (long long)type->min, (long long)type->max);
	for (size_t i = 0; i < type->n_values; i++)
		kh_buf_printf(buf, " %.*s", KH_FMT(type->values[i]));
	if (type->format != NULL)
		kh_buf_printf(buf, " %s", type->format);
}

/* "kind min max values format = value"; "none" */
static struct kh_view ask(struct kh_test *t, const struct kh_schema *made, const char *name, yyjson_val *data)
{
	struct kh_view text = {"", 0}, json = {"", 0};
	struct kh_schema_found found;
	struct kh_buf buf;

	if (!kh_schema_typed(made, &t->arena, kh_view_str(name), data, &found))
		return KH_LIT("none");
	kh_buf_init(&buf, &t->arena, 4096);
	show_type(&buf, &found.type);
	if (found.value != NULL && kh_canonical_json(&t->arena, found.value, &json, NULL) == KH_OK)
		kh_buf_printf(&buf, " = %.*s", KH_FMT(json));
	else
		kh_buf_printf(&buf, " = %lld", (long long)found.number);
	return kh_buf_end(&buf, &text) == KH_OK ? text : KH_LIT("");
}

static yyjson_val *read(struct kh_test *t, struct kh_schema *made, const char *text)
{
	yyjson_val *data = NULL;
	enum kh_err e = kh_json_read(&t->arena, kh_rows_text(t, text), &data, &t->err);

	if (e != KH_OK)
		kh_schema_free(made);
	must(t, e);
	return data;
}

static void run(struct kh_test *t, const char *text, const struct row *rows, size_t n)
{
	struct kh_schema *made = kh_rows_new(t, schema);
	yyjson_val *data = read(t, made, text);
	struct kh_view said = KH_LIT("");
	size_t i = 0;

	for (; i < n; i++) {
		said = ask(t, made, rows[i].name, data);
		if (t->arena.failed || !kh_view_eq(said, kh_view_str(rows[i].text)))
			break;
	}
	kh_schema_free(made);
	must(t, kh_arena_check(&t->arena));
	if (i < n)
		print_error("%s\n", rows[i].name);
	if (i < n)
		assert_view(said, rows[i].text);
}

#define RUN(t, text, rows) run((t), (text), (rows), sizeof(rows) / sizeof((rows)[0]))

static void test_typed(struct kh_test *t)
{
	static const struct row rows[] = {
		{"ok", "boolean = true"},
		{"state", "enum closed on_hold.1 open = \"open\""},
		{"one", "enum fixed = \"fixed\""},
		{"n", "integer 0 to 9 = 7"},
		{"m", "integer -5 to 5 = -5"},
		{"i32", "integer -2147483648 to 2147483647 = 2147483647"},
		{"day", "format date = \"2026-03-15\""},
		{"at", "format date-time = \"2026-03-15T09:30:00Z\""},
		{"id", "format uuid = \"00000000-0000-0000-0000-000000000000\""},
		{"deep.a/b", "boolean = true"},
		{"dot.ted.x", "boolean = true"},
		{"a.c", "boolean = true"},
		/* Arrays, by index, length and count. */
		{"list.length", "integer 0 to 4 = 3"},
		{"list.0.ok", "boolean = true"},
		{"list.0.deep.state", "enum closed on_hold.1 open = \"open\""},
		{"list.2.tags.1", "enum x y = \"x\""},
		{"list.2.tags.length", "integer 0 to 2 = 2"},
		{"list.2.tags.count.x", "integer 0 to 2 = 2"},
		{"list.count.ok.true", "integer 0 to 4 = 2"},
		{"list.count.true.true", "integer 0 to 4 = 1"},
		{"list.count.deep.state.open", "integer 0 to 4 = 1"},
		{"list.count.deep.state.on_hold.1", "integer 0 to 4 = 1"},
		{"list.count.tags.0.x", "integer 0 to 4 = 1"},
		{"tags.0", "enum v.1 x y = \"x\""},
		{"tags.count.x", "integer 0 to 3 = 1"},
		{"tags.count.v.1", "integer 0 to 3 = 1"},
		{"nums.1", "integer 0 to 9 = 2"},
		{"nums.length", "integer 0 to 3 = 2"},
		{"tuple.1", "enum x = \"x\""},
		{"tuple.length", "integer 0 to 2 = 2"},
		/* Names of members are no words of ours. */
		{"deep.length", "boolean = false"},
		{"deep.count.x", "boolean = true"},
	};

	RUN(t, value, rows);
}

/* What may be something else has no type, what is not named is not there, and what has two meanings has none. */
static void test_untyped(struct kh_test *t)
{
	static const struct row rows[] = {
		{"", "none"},
		{"words", "none"},
		{"mixed", "none"},
		{"free", "none"},
		{"real", "none"},
		{"mail", "none"},
		{"text", "none"},
		{"maybe", "none"},
		{"any", "none"},
		{"deep", "none"},
		{"no", "none"},
		{"list", "none"},
		{"list.0", "none"},
		/* An array without a bound: its items have a type, and how many there are has no range. */
		{"open.0", "none"},
		{"open.length", "none"},
		{"open.count.true", "none"},
		/* Nothing is there: by the schema, or at this index. */
		{"x", "none"},
		{"ok.x", "none"},
		{"ok.", "none"},
		{".ok", "none"},
		{".x", "none"},
		{"no.x", "none"},
		{"list.ok", "none"},
		{"list.-1.ok", "none"},
		{"list.00.ok", "none"},
		{"list.3.ok", "none"},
		{"list.99.ok", "none"},
		{"list.0..ok", "none"},
		{"list.length.x", "none"},
		{"list.length.", "none"},
		{"tuple.2", "none"},
		{"tuple.x", "none"},
		/* Values that are not of their type. */
		{"list.1.ok", "none"},
		{"list.1.deep.state", "none"},
		{"tags.2", "none"},
		/* What cannot be counted: other values, integers, items that differ, items of items. */
		{"list.count", "none"},
		{"list.count.true", "none"},
		{"list.count.ok.maybe", "none"},
		{"list.count.ok", "none"},
		{"list.count.ok.", "none"},
		{"list.count.tags.length", "none"},
		{"list.count.tags.count.x", "none"},
		{"tags.count.z", "none"},
		{"tags.count.", "none"},
		{"nums.count.1", "none"},
		{"tuple.count.x", "none"},
		{"tuple.count.true", "none"},
		/* `a.b` is a member, and one of `a` too. */
		{"a.b", "none"},
	};

	RUN(t, value, rows);
}

/* Values that do not fit the schema. */
static void test_values(struct kh_test *t)
{
	static const char strange[] = "{'ok':'true','state':'obey me','n':10,'m':1.0,'day':'15 March 2026','at':"
				      "'2026-03-15','list':[],'tags':['x','x','x','x'],'nums':{'length':1},"
				      "'deep':[true],'a':true}";
	static const struct row rows[] = {
		{"ok", "none"},          {"state", "none"},        {"n", "none"},           {"m", "none"},
		{"day", "none"},         {"at", "none"},           {"list.length", "none"}, /* too few */
		{"tags.length", "none"},                                                    /* too many */
		{"tags.0", "none"},      {"tags.count.x", "none"}, {"nums.length", "none"}, {"deep.length", "none"},
		{"a.c", "none"},         {"one", "none"},
	};
	static const char *const none[] = {"[]", "7", "'ok'", "null"};

	RUN(t, strange, rows);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		RUN(t, none[i], rows);
}

struct heard {
	struct kh_buf *buf;
	size_t left;
};

static bool hear(void *ctx, struct kh_view name, const struct kh_schema_member *type)
{
	struct heard *h = ctx;

	kh_buf_printf(h->buf, "%.*s ", KH_FMT(name));
	show_type(h->buf, type);
	kh_buf_lit(h->buf, "; ");
	return --h->left > 0;
}

static struct kh_view list(struct kh_test *t, const char *text, size_t most)
{
	struct kh_schema *made = kh_rows_new(t, text);
	struct kh_view said = {"", 0};
	struct kh_buf buf;

	kh_buf_init(&buf, &t->arena, 65536);
	kh_schema_typed_each(made, &t->arena, hear, &(struct heard){&buf, most});
	kh_schema_free(made);
	must(t, kh_arena_check(&t->arena));
	must(t, kh_buf_end(&buf, &said));
	return said;
}

/* What can be asked for is listed, the shortest names first, and nothing else; a schema without an end has a short list. */
static void test_list(struct kh_test *t)
{
	assert_view(
		list(t,
		     "{'properties':{'z':{'type':'boolean'},'a':{'properties':{'b':{'type':'boolean'},'c':{'type':"
		     "'boolean'}}},'a.b':{'type':'boolean'},'not a name':{'type':'boolean'},'9':{'type':'boolean'},"
		     "'free':{'type':'string'},'list':{'type':'array','maxItems':9,'items':{'properties':{'s':{'enum':"
		     "['x','y']}}}},'open':{'type':'array','items':{'type':'boolean'}}},"
		     "'allOf':[{'properties':{'z':{},'y':{'type':'string','format':'date'}}}]}",
		     100),
		"list.length integer 0 to 9; z boolean; y format date; a.c boolean; list.0.s enum x y; ");
	assert_view(list(t, "{'properties':{'a':{'type':'boolean'},'b':{'type':'boolean'}}}", 1), "a boolean; ");
	/* 60 bytes, and with `.length` more than a query's name can have. */
	assert_view(
		list(t,
		     "{'properties':{'a23456789012345678901234567890123456789012345678901234567890':{'type':'array',"
		     "'maxItems':9,'items':{'type':'boolean'}}}}",
		     9),
		"a23456789012345678901234567890123456789012345678901234567890.0 boolean; ");
	assert_view(list(t, "{'properties':{'a':{'$ref':'#'},'b':{'$ref':'#'},'c':{'$ref':'#'}}}", 100), "");
	assert_view(list(t, "{'properties':{'kids':{'type':'array','maxItems':2,'items':{'$ref':'#'}}}}", 2),
		    "kids.length integer 0 to 2; kids.0.kids.length integer 0 to 2; ");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_typed),
	KH_TEST(test_untyped),
	KH_TEST(test_values),
	KH_TEST(test_list),
};
KH_TEST_MAIN(cases)
