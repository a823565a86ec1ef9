/* U7: which members of a result a schema gives a type, and which not. */
#include "rows.h"

#include "base/buf.h"

static const char schema[] =
	"{'type':'object','required':['ok','list','deep'],'properties':{"
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
	"'id':{'$ref':'#/$defs/id'},"
	"'mail':{'type':'string','format':'email'},"
	"'text':{'type':'string','maxLength':3},"
	"'maybe':{'type':['boolean','null']},"
	"'any':{'anyOf':[{'type':'boolean'},{'type':'null'}]},"
	"'list':{'type':'array','minItems':1,'maxItems':4,'items':{'type':'object','required':['ok'],"
	"'properties':{'ok':{'type':'boolean'}}}},"
	"'open':{'type':'array','items':{'type':'boolean'}},"
	"'tuple':{'type':'array','prefixItems':[{'type':'boolean'},{'enum':['x']}],'items':false},"
	"'deep':{'type':'object','properties':{'a/b':{'type':'boolean'}}},"
	"'no':{}},"
	"'additionalProperties':{'type':'boolean'},"
	"'$defs':{'id':{'type':'string','format':'uuid'}}}";

struct row {
	const char *pointer, *text;
};

/* "kind min max values format required" */
static struct kh_view shown(struct kh_test *t, const struct kh_schema_member *member)
{
	static const char *const kinds[] = {"boolean", "enum", "integer", "format", "array"};
	struct kh_view text = {"", 0};
	struct kh_buf buf;

	kh_buf_init(&buf, &t->arena, 4096);
	kh_buf_add(&buf, kh_view_str(kinds[member->kind]));
	if (member->kind == KH_SCHEMA_INTEGER || member->kind == KH_SCHEMA_ARRAY)
		kh_buf_printf(&buf, " %lld to %lld", (long long)member->min, (long long)member->max);
	for (size_t i = 0; i < member->n_values; i++)
		kh_buf_printf(&buf, " %.*s", KH_FMT(member->values[i]));
	if (member->format != NULL)
		kh_buf_printf(&buf, " %s", member->format);
	if (member->is_required)
		kh_buf_lit(&buf, " required");
	must(t, kh_buf_end(&buf, &text));
	return text;
}

static void test_typed(struct kh_test *t)
{
	static const struct row rows[] = {
		{"/ok", "boolean required"},
		{"/state", "enum closed on_hold.1 open"},
		{"/one", "enum fixed"},
		{"/n", "integer 0 to 9"},
		{"/m", "integer -5 to 5"},
		{"/i32", "integer -2147483648 to 2147483647"},
		{"/day", "format date"},
		{"/id", "format uuid"},
		{"/list", "array 1 to 4 required"},
		{"/list/0/ok", "boolean required"},
		{"/list/1/ok", "boolean"},
		{"/list/99/ok", "boolean"},
		{"/open/5", "boolean"},
		{"/tuple", "array 0 to 2"},
		{"/tuple/1", "enum x"},
		{"/deep/a~1b", "boolean"},
	};
	struct kh_schema *made = kh_rows_new(t, schema);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kh_schema_member member = {.kind = KH_SCHEMA_BOOLEAN};
		enum kh_err e = kh_schema_typed(made, &t->arena, kh_view_str(rows[i].pointer), &member, &t->err);
		struct kh_schema *held = e == KH_OK ? NULL : made;
		if (held != NULL && !t->fired)
			print_error("%s\n", rows[i].pointer);
		kh_schema_free(held);
		must(t, e);
		if (t->fired)
			kh_schema_free(made);
		assert_view(shown(t, &member), rows[i].text);
	}
	kh_schema_free(made);
}

/* What may be something else has no type, and what is not named is not there. */
static void test_untyped(struct kh_test *t)
{
	static const char *const none[] = {"",       "/words", "/mixed", "/free", "/real",   "/mail", "/text",
					   "/maybe", "/any",   "/open",  "/deep", "/list/0", "/no"};
	static const char *const unknown[] = {"/x", "/ok/x",     "/list/ok", "/list/-1", "/list/01/ok",
					      "ok", "/deep/a/b", "/no/x",    "/deep/~2", "/tuple/x"};
	struct kh_schema *made = kh_rows_new(t, schema);
	struct kh_schema_member member;
	enum kh_err e = KH_EREFUSED;

	for (size_t i = 0; e == KH_EREFUSED && i < sizeof(none) / sizeof(none[0]); i++) {
		e = kh_schema_typed(made, &t->arena, kh_view_str(none[i]), &member, &t->err);
		if (e == KH_OK)
			print_error("typed: %s\n", none[i]);
	}
	enum kh_err other = KH_EUNKNOWN;
	for (size_t i = 0; other == KH_EUNKNOWN && i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		other = kh_schema_typed(made, &t->arena, kh_view_str(unknown[i]), &member, &t->err);
		if (other != KH_EUNKNOWN)
			print_error("known: %s\n", unknown[i]);
	}
	kh_schema_free(made);
	must_fail(t, KH_EREFUSED, e);
	must_fail(t, KH_EUNKNOWN, other);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_typed),
	KH_TEST(test_untyped),
};
KH_TEST_MAIN(cases)
