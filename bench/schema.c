/* Schemas of upstream tools: compiling one, and checking the arguments of a call against it. */
#include "bench.h"

#include "core/schema/schema.h"

#define LIMIT (64U << 20)

/* As the schemas of common servers are: an object of a few members, with an enum, limits and a list. */
static const char ordinary[] =
	"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"properties\":{"
	"\"owner\":{\"type\":\"string\",\"description\":\"Repository owner\"},"
	"\"repo\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":100},"
	"\"state\":{\"type\":\"string\",\"enum\":[\"open\",\"closed\",\"all\"]},"
	"\"labels\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":20},"
	"\"since\":{\"type\":\"string\",\"format\":\"date-time\"},"
	"\"page\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000},"
	"\"perPage\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100}},"
	"\"required\":[\"owner\",\"repo\"],\"additionalProperties\":false}";
static const char call[] = "{\"owner\":\"octo\",\"repo\":\"hello-world\",\"state\":\"open\",\"labels\":[\"bug\",\"help "
			   "wanted\",\"ui\"],\"since\":\"2026-11-16T09:30:00Z\",\"page\":2,\"perPage\":50}";
static const char wrong[] =
	"{\"owner\":1,\"repos\":\"hello-world\",\"state\":\"opened\",\"labels\":[\"bug\",7],\"page\":0}";

/* An e-mail address as common libraries write it, with lookahead. */
static const char mail[] = "{\"type\":\"string\",\"pattern\":\"^(?!\\\\.)(?!.*\\\\.\\\\.)([A-Za-z0-9_'+\\\\-\\\\.]*)"
			   "[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\\\-]*\\\\.)+[A-Za-z]{2,}$\"}";

struct subject {
	struct kh_schema *schema;
	struct kh_arena kept, scratch;
	struct kh_view schema_text, text;
	yyjson_val *value;
	enum kh_err want;
};

static double check(void *ctx)
{
	struct subject *s = ctx;
	struct kh_reasons errors;

	kh_arena_clear(&s->scratch);
	kh_reasons_init(&errors, &s->scratch);
	enum kh_err e = kh_schema_check(s->schema, &s->scratch, s->value, &errors);
	kh_bench_must(e == s->want ? KH_OK : KH_EREFUSED, "kh_schema_check");
	return 0;
}

static double compile(void *ctx)
{
	struct subject *s = ctx;
	struct kh_schema *schema;
	struct kh_reasons errors;

	kh_arena_clear(&s->scratch);
	kh_reasons_init(&errors, &s->scratch);
	kh_bench_must(kh_schema_new(NULL, s->schema_text, &schema, &errors), "kh_schema_new");
	kh_schema_free(schema);
	return 0;
}

static double read_value(void *ctx)
{
	const struct subject *s = ctx;

	yyjson_doc_free(yyjson_read(s->text.p, s->text.n, 0));
	return 0;
}

static void prepare(struct subject *s, struct kh_view schema, struct kh_view text, enum kh_err want)
{
	struct kh_reasons errors;

	memset(s, 0, sizeof(*s));
	kh_arena_init(&s->kept, NULL, LIMIT);
	kh_arena_init(&s->scratch, NULL, LIMIT);
	kh_reasons_init(&errors, &s->kept);
	s->schema_text = schema;
	s->text = text;
	s->want = want;
	kh_bench_must(kh_schema_new(NULL, schema, &s->schema, &errors), "kh_schema_new");
	kh_bench_must(kh_json_read(&s->kept, text, &s->value, NULL), "the value's JSON");
}

static void finish(struct subject *s)
{
	kh_schema_free(s->schema);
	kh_arena_done(&s->kept);
	kh_arena_done(&s->scratch);
}

static void measure(const char *what, struct kh_view schema, struct kh_view text, enum kh_err want)
{
	struct subject s;

	prepare(&s, schema, text, want);
	struct kh_bench_case c[] = {{check, &s, 0}, {read_value, &s, 0}};
	kh_bench_time(c, 2);
	struct kh_bench_text figure = kh_bench_printf("%s, %.0f a second", kh_bench_ns(c[0].ns).s, 1e9 / c[0].ns);
	struct kh_bench_text peer = kh_bench_printf("yyjson_read+free %s", kh_bench_ns(c[1].ns).s);
	kh_bench_row(what, figure.s, peer.s, c[0].ns / c[1].ns, "", "");
	finish(&s);
}

/* A check that uses all of its steps: how long a hostile schema and value can take. */
static void measure_worst(void)
{
	const size_t n = 1U << 20;
	char *text = kh_bench_alloc(n + 2);
	struct subject s;

	memset(text, 'b', n + 2);
	text[0] = text[n + 1] = '"';
	prepare(&s, KH_LIT("{\"pattern\":\"^x(.?){900}b\"}"), kh_view_of(text, n + 2), KH_ELIMIT);
	kh_bench_limit("the longest check: a pattern of 1,800 states over 1 MiB, refused", kh_bench_once(check, &s),
		       1e9);
	finish(&s);
}

int main(void)
{
	struct subject s;

	kh_bench_section("JSON Schema of upstream tools");
	measure("arguments of a call against an ordinary schema", kh_view_str(ordinary), kh_view_str(call), KH_OK);
	measure("arguments with six errors, all reported", kh_view_str(ordinary), kh_view_str(wrong), KH_EREFUSED);
	measure("an e-mail address, pattern with lookahead", kh_view_str(mail), KH_LIT("\"ada.lovelace@example.com\""),
		KH_OK);
	prepare(&s, kh_view_str(ordinary), kh_view_str(call), KH_OK);
	kh_bench_row("compiling the ordinary schema", kh_bench_ns(kh_bench_once(compile, &s)).s, "", 0, "", "");
	finish(&s);
	measure_worst();
	return 0;
}
