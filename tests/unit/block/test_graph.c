#include "core/block/graph.h"
#include "harness.h"

static const unsigned char seed[KH_BLOCKS_SEED] = "0123456789abcde";

static void add(struct kh_test *t, struct kh_blocks *set, const char *id, enum kh_trust trust, struct kh_view source,
		const struct kh_view *by, size_t count)
{
	struct kh_block_spec spec = {.id = kh_view_str(id), .trust = trust, .type = KH_DATA, .source = source};

	spec.tainted_by = by;
	spec.tainted_by_count = count;
	must(t, kh_blocks_add(set, &spec, &t->err));
}

/* The chain of blocks.md, with a hostile source. */
static void example(struct kh_test *t, struct kh_blocks *set)
{
	static const struct kh_view by[] = {KH_LIT_INIT("b001"), KH_LIT_INIT("b002"), KH_LIT_INIT("b003")};
	static const struct kh_view last = KH_LIT_INIT("b004");

	kh_blocks_init(set, &t->arena, seed);
	add(t, set, "b001", KH_TRUSTED, KH_LIT(""), NULL, 0);
	add(t, set, "b002", KH_VETTED, KH_LIT(""), NULL, 0);
	add(t, set, "b003", KH_UNTRUSTED, KH_LIT("\"];}\\<script>&\n\xe2\x80\xae"), NULL, 0);
	add(t, set, "b004", KH_TRUSTED, KH_LIT(""), by, 3);
	add(t, set, "b005", KH_TRUSTED, KH_LIT(""), &last, 1);
}

static size_t count(struct kh_view text, const char *what)
{
	size_t n = 0;

	for (size_t at = 0; (at = kh_view_find(text, kh_view_str(what), at)) != SIZE_MAX; at++)
		n++;
	return n;
}

/* K5: the graph as JSON; a source is a string and nothing else. */
static void test_json(struct kh_test *t)
{
	struct kh_blocks set;
	struct kh_view text;

	example(t, &set);
	must(t, kh_graph_write(&set, &t->arena, KH_GRAPH_JSON, &text, &t->err));
	assert_int_equal(count(text, "\"id\":"), 5);
	assert_int_equal(count(text, "\"source\":\"\\\"];}\\\\<script>&\\n\xe2\x80\xae\"}"), 1);
	assert_int_equal(count(text, "\"from\":"), 4);
	assert_int_equal(count(text, "{\"from\":\"b003\",\"to\":\"b004\"}"), 1);
	assert_int_equal(count(text, "{\"id\":\"b002\",\"trust\":\"vetted\",\"type\":\"data\",\"taint\":\"low\"}"), 1);
	/* A part of the blocks: what is not shown has no edges. */
	kh_blocks_init(&set, &t->arena, seed);
	static const struct kh_view by[] = {KH_LIT_INIT("b001"), KH_LIT_INIT("b003")};
	add(t, &set, "b001", KH_TRUSTED, KH_LIT(""), NULL, 0);
	add(t, &set, "b004", KH_TRUSTED, KH_LIT(""), by, 2);
	must(t, kh_graph_write(&set, &t->arena, KH_GRAPH_JSON, &text, &t->err));
	assert_int_equal(count(text, "\"id\":"), 2);
	assert_int_equal(count(text, "\"from\":"), 1);
}

/* K5: DOT, with the colours of blocks.md; a source cannot end its string. */
static void test_dot(struct kh_test *t)
{
	struct kh_blocks set;
	struct kh_view text;

	example(t, &set);
	must(t, kh_graph_write(&set, &t->arena, KH_GRAPH_DOT, &text, &t->err));
	assert_int_equal(
		count(text, "  \"b002\" [label=\"b002\\n[vetted] data\\ntaint low\", fillcolor=\"#87CEEB\"];\n"), 1);
	assert_int_equal(count(text, "#FFB6C1"), 1);
	assert_int_equal(count(text, "#90EE90"), 3);
	assert_int_equal(count(text, "  \"b004\" -> \"b005\";\n"), 1);
	assert_int_equal(count(text, " -> "), 4);
	assert_int_equal(count(text, "\\n\\\"\\\\\\\"];}\\\\\\\\<script>&\\\\u{a}\\\\u{202e}\\\"\", fillcolor"), 1);
}

/* K5: SVG: a box a block, an arrow an influence, nothing that runs or loads, whatever the source says. */
static void test_svg(struct kh_test *t)
{
	struct kh_blocks set;
	struct kh_view text;

	example(t, &set);
	must(t, kh_graph_write(&set, &t->arena, KH_GRAPH_SVG, &text, &t->err));
	assert_int_equal(count(text, "<rect "), 5);
	assert_int_equal(count(text, "<path d=\"M"), 5); /* one of them the arrow head */
	assert_int_equal(count(text, "<script"), 0);
	assert_int_equal(count(text, "href"), 0);
	assert_int_equal(count(text, "&lt;script&gt;&amp;"), 2);
	assert_int_equal(count(text, "http"), 1); /* the name space */
	assert_int_equal(count(text, "fill=\"#FFB6C1\""), 1);
	/* Three layers: what nothing influenced, b004, b005. */
	assert_int_equal(count(text, "y=\"20\" width"), 3);
	assert_int_equal(count(text, "y=\"144\" width"), 1);
	assert_int_equal(count(text, "y=\"268\" width"), 1);
	kh_blocks_init(&set, &t->arena, seed);
	must(t, kh_graph_write(&set, &t->arena, KH_GRAPH_SVG, &text, &t->err));
	assert_int_equal(count(text, "<rect "), 0);
}

/* K5: characters that XML does not have, and those that hide or turn text round, are written as escapes. */
static void test_svg_characters(struct kh_test *t)
{
	static const char *const odd[] = {"\x01",         "\x7f",         "\r",           "\xef\xbf\xbe",
					  "\xef\xbf\xbf", "\xe2\x80\xae", "\xe2\x80\x8b", "]]>"};
	struct kh_blocks set;
	struct kh_view text;

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		kh_blocks_init(&set, &t->arena, seed);
		add(t, &set, "b001", KH_UNTRUSTED, kh_view_str(odd[i]), NULL, 0);
		must(t, kh_graph_write(&set, &t->arena, KH_GRAPH_SVG, &text, &t->err));
		assert_int_equal(count(text, odd[i]), 0);
		must(t, kh_graph_write(&set, &t->arena, KH_GRAPH_DOT, &text, &t->err));
		assert_int_equal(count(text, odd[i]), i == 7);
	}
}

/* K5: a cycle has no layers; a graph that nobody could look at is refused. */
static void test_refused(struct kh_test *t)
{
	static const struct kh_view ids[] = {KH_LIT_INIT("a"), KH_LIT_INIT("b")};
	struct kh_blocks set;
	struct kh_view text;

	kh_blocks_init(&set, &t->arena, seed);
	add(t, &set, "a", KH_TRUSTED, KH_LIT(""), &ids[1], 1);
	add(t, &set, "b", KH_TRUSTED, KH_LIT(""), &ids[0], 1);
	must_fail(t, KH_EREFUSED, kh_graph_write(&set, &t->arena, KH_GRAPH_SVG, &text, &t->err));
	assert_string_equal(t->err.code, "cycle");
	must(t, kh_graph_write(&set, &t->arena, KH_GRAPH_DOT, &text, &t->err));
	for (size_t i = set.n; i <= KH_GRAPH_SVG_MAX; i++) {
		struct kh_block_spec spec = {.trust = KH_TRUSTED, .type = KH_DATA};
		spec.id = kh_arena_printf(&t->arena, "n%zu", i);
		must(t, kh_arena_check(&t->arena));
		must(t, kh_blocks_add(&set, &spec, &t->err));
	}
	must_fail(t, KH_ELIMIT, kh_graph_write(&set, &t->arena, KH_GRAPH_SVG, &text, &t->err));
	assert_string_equal(t->err.code, "too_large");
}

static const struct kh_test_case cases[] = {KH_TEST(test_json), KH_TEST(test_dot), KH_TEST(test_svg),
					    KH_TEST(test_svg_characters), KH_TEST(test_refused)};
KH_TEST_MAIN(cases)
