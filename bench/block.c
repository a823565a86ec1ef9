/* Blocks: sets and closures of a million, and their XML. */
#include "bench.h"

#include "core/block/taint.h"
#include "core/block/xml.h"
#include "prose.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT 1000000U
#define LIMIT ((size_t)1 << 33)
#define ID    16

enum graph { CHAIN, FAN, DAG };

struct subject {
	struct kh_arena arena;
	enum graph graph;
	char (*ids)[ID];
	struct kh_view *views;
	size_t reached;
	struct kh_blocks set;
	struct kh_view text, json; /* the same blocks as XML and as JSON */
};

static const unsigned char seed[KH_BLOCKS_SEED] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

/* What influenced block I: its predecessor; or for the last one of a fan all others; or three earlier ones. */
static size_t influences(const struct subject *s, size_t i, uint64_t *state, struct kh_view few[3],
			 const struct kh_view **ret_at)
{
	size_t n = 0;

	*ret_at = few;
	if (s->graph == FAN) {
		*ret_at = s->views;
		return i == COUNT - 1 ? i : 0;
	}
	if (i > 0)
		few[n++] = s->views[i - 1];
	if (s->graph == DAG && i >= 8) {
		uint32_t other = kh_bench_random(state, (uint32_t)i - 2);
		few[n++] = s->views[other];
		few[n++] = s->views[other + 1];
	}
	return n;
}

static double build_and_close(void *ctx)
{
	struct subject *s = ctx;
	struct kh_closure closure;
	uint64_t state = 5;

	kh_arena_clear(&s->arena);
	kh_blocks_init(&s->set, &s->arena, seed);
	for (size_t i = 0; i < COUNT; i++) {
		/* The set keeps what it is given: the few must live as long. */
		struct kh_view *few = KH_NEW_N(&s->arena, struct kh_view, 3);
		struct kh_block_spec spec = {.id = s->views[i],
					     .content = KH_LIT("a"),
					     .trust = i % 16 ? KH_TRUSTED : KH_UNTRUSTED,
					     .type = KH_DATA};
		kh_bench_must(few ? KH_OK : KH_ENOMEM, "the arena");
		spec.tainted_by_count = influences(s, i, &state, few, &spec.tainted_by);
		kh_bench_must(kh_blocks_add(&s->set, &spec, NULL), "kh_blocks_add");
	}
	kh_bench_must(kh_taint_closure(&s->set, &s->arena, s->views[COUNT - 1], &closure, NULL), "kh_taint_closure");
	s->reached = closure.n;
	return 0;
}

static double close_again(void *ctx)
{
	struct subject *s = ctx;
	struct kh_closure closure;

	kh_bench_must(kh_taint_closure(&s->set, &s->arena, s->views[COUNT - 1], &closure, NULL), "kh_taint_closure");
	return 0;
}

static void measure_graph(struct subject *s, enum graph graph, const char *name)
{
	s->graph = graph;
	kh_arena_init(&s->arena, NULL, LIMIT);
	double all = kh_bench_once(build_and_close, s);
	double closure = kh_bench_once(close_again, s);
	kh_bench_limit(kh_bench_printf("build and close a million blocks, %s", name).s, all, 1e9);
	kh_bench_row(kh_bench_printf("  of it the closure, %zu blocks", s->reached).s, kh_bench_ns(closure).s, "", 0,
		     "", "");
	kh_arena_done(&s->arena);
}

static double write_xml(void *ctx)
{
	struct subject *s = ctx;
	struct kh_arena arena;
	struct kh_view text;

	kh_arena_init(&arena, NULL, LIMIT);
	kh_bench_must(kh_xml_write(&arena, &s->set, &text), "kh_xml_write");
	kh_arena_done(&arena);
	return 0;
}

static double read_xml(void *ctx)
{
	struct subject *s = ctx;
	struct kh_arena arena;
	struct kh_blocks set;

	kh_arena_init(&arena, NULL, LIMIT);
	kh_blocks_init(&set, &arena, seed);
	kh_bench_must(kh_xml_read(&set, s->text, NULL), "kh_xml_read");
	kh_arena_done(&arena);
	return 0;
}

static double read_json(void *ctx)
{
	const struct subject *s = ctx;

	yyjson_doc_free(yyjson_read(s->json.p, s->json.n, 0));
	return 0;
}

static double digest(void *ctx)
{
	const struct subject *s = ctx;

	(void)kh_canonical_digest(s->text);
	return 0;
}

static double write_json(void *ctx)
{
	const struct subject *s = ctx;
	yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *arr = yyjson_mut_arr(doc);
	size_t n;

	yyjson_mut_doc_set_root(doc, arr);
	for (size_t i = 0; i < s->set.n; i++)
		yyjson_mut_arr_add_strn(doc, arr, s->set.at[i]->content.p, s->set.at[i]->content.n);
	free(yyjson_mut_write(doc, 0, &n));
	yyjson_mut_doc_free(doc);
	return 0;
}

static void measure_xml(struct subject *s)
{
	enum { WRITE, READ, WRITE_JSON, READ_JSON, DIGEST, CASES };
	struct kh_bench_case c[CASES] = {
		{write_xml, s, 0}, {read_xml, s, 0}, {write_json, s, 0}, {read_json, s, 0}, {digest, s, 0}};
	struct kh_view prose = kh_prose_make(4U << 20);
	yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *arr = yyjson_mut_arr(doc);
	size_t n;

	kh_arena_init(&s->arena, NULL, LIMIT);
	kh_blocks_init(&s->set, &s->arena, seed);
	for (size_t i = 0; i < prose.n / 4096; i++) {
		struct kh_block_spec spec = {.id = s->views[i],
					     .source = KH_LIT("tool:read"),
					     .content = kh_view_sub(prose, i * 4096, i * 4096 + 4096),
					     .tainted_by = &s->views[i > 0 ? i - 1 : 0],
					     .tainted_by_count = i > 0,
					     .trust = KH_UNTRUSTED,
					     .type = KH_DATA};
		kh_bench_must(kh_blocks_add(&s->set, &spec, NULL), "kh_blocks_add");
		yyjson_mut_arr_add_strn(doc, arr, spec.content.p, spec.content.n);
	}
	yyjson_mut_doc_set_root(doc, arr);
	kh_bench_must(kh_xml_write(&s->arena, &s->set, &s->text), "kh_xml_write");
	s->json.p = yyjson_mut_write(doc, 0, &n);
	s->json.n = n;
	kh_bench_time(c, CASES);
	kh_bench_speed("blocks to XML", (double)s->text.n, c[WRITE].ns, "yyjson, as strings", c[WRITE_JSON].ns, 0);
	kh_bench_speed("XML to blocks, hashes included", (double)s->text.n, c[READ].ns, "yyjson, as strings",
		       c[READ_JSON].ns, 0);
	kh_bench_speed("  the same against the hashes alone", (double)s->text.n, c[READ].ns, "BLAKE2b-256",
		       c[DIGEST].ns, 0);
	yyjson_mut_doc_free(doc);
	free((void *)(uintptr_t)s->json.p);
	free((void *)(uintptr_t)prose.p);
	kh_arena_done(&s->arena);
}

int main(void)
{
	struct subject s;

	memset(&s, 0, sizeof(s));
	s.ids = (char(*)[ID])(void *)kh_bench_alloc(COUNT * sizeof(*s.ids));
	s.views = (struct kh_view *)(void *)kh_bench_alloc(COUNT * sizeof(*s.views));
	for (size_t i = 0; i < COUNT; i++)
		s.views[i] = kh_view_of(s.ids[i], (size_t)snprintf(s.ids[i], ID, "b%07zu", i));
	kh_bench_section("Blocks");
	measure_graph(&s, CHAIN, "a chain");
	measure_graph(&s, FAN, "a fan");
	measure_graph(&s, DAG, "three influences each");
	measure_xml(&s);
	free(s.ids);
	free(s.views);
	return 0;
}
