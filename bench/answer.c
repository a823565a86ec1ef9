/* P1: judging a category-1 response against parsing its bytes with yyjson, as a whole and by stage. */
#include "bench.h"

#include "base/buf.h"
#include "core/bcp/answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LIMIT (64U << 20)

struct subject {
	struct kh_view response; /* its bytes */
	struct kh_query query;
	struct kh_arena kept;    /* the query, and the response parsed */
	struct kh_arena scratch; /* cleared for every call, as kh_prepared_judge() does */
	yyjson_val *parsed;
	struct kh_answer answer; /* one that was judged */
	struct kh_prepared *prepared;
	char *pool;
	size_t pool_size;
};

static void *arena_malloc(void *ctx, size_t n)
{
	return kh_arena_alloc(ctx, n);
}

static void *arena_realloc(void *ctx, void *p, size_t old, size_t n)
{
	return kh_arena_grow(ctx, p, old, n);
}

static void arena_free(void *ctx, void *p)
{
	(void)ctx;
	(void)p;
}

/* What a plain user of yyjson would write. */
static double peer_plain(void *ctx)
{
	const struct subject *s = ctx;
	yyjson_doc *doc = yyjson_read(s->response.p, s->response.n, 0);

	kh_bench_must(doc ? KH_OK : KH_EINPUT, "yyjson_read");
	yyjson_doc_free(doc);
	return 0;
}

static double peer_pool(void *ctx)
{
	const struct subject *s = ctx;
	yyjson_alc alc;

	yyjson_alc_pool_init(&alc, s->pool, s->pool_size);
	yyjson_doc *doc = yyjson_read_opts((char *)(uintptr_t)s->response.p, s->response.n, 0, &alc, NULL);
	kh_bench_must(doc ? KH_OK : KH_EINPUT, "yyjson_read_opts");
	return 0;
}

static double parse(void *ctx)
{
	struct subject *s = ctx;
	yyjson_alc alc = {arena_malloc, arena_realloc, arena_free, &s->scratch};

	kh_arena_clear(&s->scratch);
	yyjson_doc *doc = yyjson_read_opts((char *)(uintptr_t)s->response.p, s->response.n, 0, &alc, NULL);
	kh_bench_must(doc ? KH_OK : KH_EINPUT, "yyjson_read_opts");
	return 0;
}

static double read_strictly(void *ctx)
{
	struct subject *s = ctx;
	yyjson_val *root;

	kh_arena_clear(&s->scratch);
	kh_bench_must(kh_json_read(&s->scratch, s->response, &root, NULL), "kh_json_read");
	return 0;
}

static double judge_value(void *ctx)
{
	struct subject *s = ctx;
	struct kh_answer answer;

	kh_arena_clear(&s->scratch);
	kh_bench_must(
		kh_answer_judge_value(NULL, &s->scratch, &s->query, s->parsed, (struct kh_recent){NULL, 0}, &answer),
		"kh_answer_judge_value");
	return 0;
}

static double judge(void *ctx)
{
	struct subject *s = ctx;
	struct kh_answer answer;

	kh_arena_clear(&s->scratch);
	kh_bench_must(kh_answer_judge(NULL, &s->scratch, &s->query, kh_tainted_wrap(s->response),
				      (struct kh_recent){NULL, 0}, &answer),
		      "kh_answer_judge");
	kh_bench_must(answer.verdict == KH_VERDICT_DELIVER ? KH_OK : KH_EREFUSED, "the response");
	return 0;
}

static double write_answer(void *ctx)
{
	struct subject *s = ctx;
	struct kh_view text;

	kh_arena_clear(&s->scratch);
	yyjson_mut_doc *doc = kh_json_new(&s->scratch);
	kh_bench_must(kh_json_write(&s->scratch, kh_answer_write(&s->answer, &s->query, doc), &text), "writing");
	return 0;
}

static double public_call(void *ctx)
{
	struct subject *s = ctx;
	enum kh_verdict verdict;
	uint64_t charged;
	struct kh_text *out;

	kh_bench_must(kh_prepared_judge(s->prepared, s->response, &verdict, &charged, &out, NULL), "kh_prepared_judge");
	kh_text_free(out);
	return 0;
}

/* N fields, types in turn, and a response to them in the query's order. */
static void make_texts(struct kh_arena *arena, unsigned n, struct kh_view *ret_query, struct kh_view *ret_response)
{
	struct kh_buf query, response;

	kh_buf_init(&query, arena, LIMIT);
	kh_buf_init(&response, arena, LIMIT);
	kh_buf_lit(&query, "{\"category\":1,\"fields\":[");
	kh_buf_lit(&response, "{\"fields\":{");
	for (unsigned i = 0; i < n; i++) {
		const char *comma = i > 0 ? "," : "";
		if (i % 3 == 0) {
			kh_buf_printf(&query, "%s{\"name\":\"is_urgent_%u\",\"type\":\"boolean\"}", comma, i);
			kh_buf_printf(&response, "%s\"is_urgent_%u\":true", comma, i);
		} else if (i % 3 == 1) {
			kh_buf_printf(&query,
				      "%s{\"name\":\"sentiment_%u\",\"type\":\"enum\",\"values\":[\"positive\","
				      "\"neutral\",\"negative\",\"mixed\"]}",
				      comma, i);
			kh_buf_printf(&response, "%s\"sentiment_%u\":\"negative\"", comma, i);
		} else {
			kh_buf_printf(&query,
				      "%s{\"name\":\"confidence_%u\",\"type\":\"integer\",\"min\":1,\"max\":100}",
				      comma, i);
			kh_buf_printf(&response, "%s\"confidence_%u\":%u", comma, i, i + 1);
		}
	}
	kh_buf_lit(&query, "]}");
	kh_buf_lit(&response, "}}");
	kh_bench_must(kh_buf_end(&query, ret_query), "the query");
	kh_bench_must(kh_buf_end(&response, ret_response), "the response");
}

static void prepare(struct subject *s, struct kh *kh, unsigned n)
{
	/* The example of the protocol's own document. */
	struct kh_view query = KH_LIT(
		"{\"category\":1,\"fields\":[{\"name\":\"is_urgent\",\"type\":\"boolean\"},"
		"{\"name\":\"sentiment\",\"type\":\"enum\",\"values\":[\"positive\",\"neutral\","
		"\"negative\"]},{\"name\":\"confidence\",\"type\":\"integer\",\"min\":1,\"max\":5},"
		"{\"name\":\"category\",\"type\":\"enum\",\"values\":[\"billing\",\"technical\","
		"\"legal\",\"other\"]}]}");
	struct kh_reasons errors;
	yyjson_val *root;

	kh_arena_init(&s->kept, NULL, LIMIT);
	kh_arena_init(&s->scratch, NULL, LIMIT);
	s->response = KH_LIT("{\"fields\":{\"is_urgent\":true,\"sentiment\":\"neutral\",\"confidence\":4,"
			     "\"category\":\"billing\"}}");
	if (n > 4)
		make_texts(&s->kept, n, &query, &s->response);
	kh_reasons_init(&errors, &s->kept);
	kh_bench_must(kh_json_read(&s->kept, query, &root, NULL), "the query's JSON");
	kh_bench_must(kh_query_read(&s->kept, root, KH_QUERY_CHECK, &s->query, &errors), "the query");
	kh_bench_must(errors.n == 0 ? KH_OK : KH_EREFUSED, "the query");
	kh_bench_must(kh_json_read(&s->kept, s->response, &s->parsed, NULL), "the response's JSON");
	kh_bench_must(
		kh_answer_judge_value(NULL, &s->kept, &s->query, s->parsed, (struct kh_recent){NULL, 0}, &s->answer),
		"judging");
	kh_bench_must(kh_prepared_new(kh, query, &s->prepared, NULL), "kh_prepared_new");
	s->pool_size = yyjson_read_max_memory_usage(s->response.n, 0) + 4096;
	s->pool = kh_bench_alloc(s->pool_size);
}

static void measure(struct kh *kh, unsigned n)
{
	enum { PLAIN, POOL, JUDGE, PARSE, STRICT, VALUE, WRITE, PUBLIC, COUNT };
	struct subject s;

	memset(&s, 0, sizeof(s));
	prepare(&s, kh, n);
	struct kh_bench_case c[COUNT] = {{peer_plain, &s, 0},   {peer_pool, &s, 0},     {judge, &s, 0},
					 {parse, &s, 0},        {read_strictly, &s, 0}, {judge_value, &s, 0},
					 {write_answer, &s, 0}, {public_call, &s, 0}};
	kh_bench_time(c, COUNT);
	kh_bench_ratio(kh_bench_printf("validate, %u fields, %zu bytes (P1)", n, s.response.n).s, c[JUDGE].ns,
		       "yyjson_read+free", c[PLAIN].ns, 3);
	kh_bench_ratio("  the same against a reused pool", c[JUDGE].ns, "yyjson, pool", c[POOL].ns, 0);
	kh_bench_ratio("  stage: parse into the arena", c[PARSE].ns, "yyjson_read+free", c[PLAIN].ns, 0);
	double strict = c[STRICT].ns - c[PARSE].ns;
	kh_bench_ratio("  stage: duplicates and depth", strict > 0 ? strict : 0, "yyjson_read+free", c[PLAIN].ns, 0);
	kh_bench_ratio("  stage: types and ranges", c[VALUE].ns, "yyjson_read+free", c[PLAIN].ns, 0);
	kh_bench_ratio("  and writing the normalised response", c[WRITE].ns, "yyjson_read+free", c[PLAIN].ns, 0);
	kh_bench_ratio("  all through kh_prepared_judge()", c[PUBLIC].ns, "yyjson_read+free", c[PLAIN].ns, 0);
	kh_prepared_free(s.prepared);
	kh_arena_done(&s.kept);
	kh_arena_done(&s.scratch);
	free(s.pool);
}

int main(void)
{
	struct kh *kh;

	kh_bench_must(kh_new(NULL, &kh), "kh_new");
	kh_bench_section("Category 1: validating a response");
	measure(kh, 4);
	measure(kh, 16);
	measure(kh, 64);
	kh_free(kh);
	return 0;
}
