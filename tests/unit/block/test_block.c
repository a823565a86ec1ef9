#include "core/block/block.h"
#include "core/block/blockjson.h"
#include "core/block/xml.h"
#include "harness.h"

static const unsigned char seed[KH_BLOCKS_SEED] = "0123456789abcde";

static const struct kh_block_spec plain = {
	.id = KH_LIT_INIT("b003"), .trust = KH_UNTRUSTED, .type = KH_DATA, .content = KH_LIT_INIT("abc")};

/* K1: what a block is made of; the hash is over the content. */
static void test_make(struct kh_test *t)
{
	struct kh_view by[] = {KH_LIT("b1"), KH_LIT("b2")};
	struct kh_block_spec spec = plain;
	const struct kh_block *block;

	spec.source = KH_LIT("tool:read");
	spec.tainted_by = by;
	spec.tainted_by_count = 2;
	spec.created_at = 7;
	must(t, kh_block_make(&t->arena, &spec, &block, &t->err));
	assert_view(block->id, "b003");
	assert_view(block->source, "tool:read");
	assert_view(block->content, "abc");
	assert_int_equal(block->trust, KH_UNTRUSTED);
	assert_int_equal(block->type, KH_DATA);
	assert_int_equal(block->taint, KH_TAINT_HIGH);
	assert_int_equal(block->tainted_by_count, 2);
	assert_view(block->tainted_by[1], "b2");
	assert_int_equal(block->created_at, 7);
	struct kh_view hex = kh_canonical_hex(&t->arena, &block->content_hash);
	must(t, kh_arena_check(&t->arena));
	assert_view(hex, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

static void refuse(struct kh_test *t, struct kh_block_spec spec, enum kh_err want, const char *code)
{
	const struct kh_block *block = NULL;

	must_fail(t, want, kh_block_make(&t->arena, &spec, &block, &t->err));
	assert_string_equal(t->err.code, code);
	assert_null(block);
}

static struct kh_block_spec with_id(struct kh_view id)
{
	struct kh_block_spec spec = plain;

	spec.id = id;
	return spec;
}

/* K1: ids have one form, so that they need no escaping anywhere. */
static void test_ids(struct kh_test *t)
{
	static const char *const good[] = {"b", "b001", "security-policy", "tool-read-1", "_x", "0", "a.b:c-d", "b9:"};
	static const struct kh_view bad[] = {
		KH_LIT_INIT(""),       KH_LIT_INIT("-b"),        KH_LIT_INIT(".b"),  KH_LIT_INIT("b 1"),
		KH_LIT_INIT("b,1"),    KH_LIT_INIT("b\"1"),      KH_LIT_INIT("b<1"), KH_LIT_INIT("b\n"),
		KH_LIT_INIT("b\0001"), KH_LIT_INIT("b\xc3\xa9"), KH_LIT_INIT("b/1"), KH_LIT_INIT("b&1"),
		KH_LIT_INIT("b\xff"),  KH_LIT_INIT("b'1"),
	};
	char longest[65];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(kh_block_id_valid(kh_view_str(good[i])));
	memset(longest, 'a', sizeof(longest));
	assert_true(kh_block_id_valid(kh_view_of(longest, 64)));
	refuse(t, with_id(kh_view_of(longest, 65)), KH_EINPUT, "bad_id");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refuse(t, with_id(bad[i]), KH_EINPUT, "bad_id");
}

/* K1: everything else that the constructor refuses. */
static void test_refused(struct kh_test *t)
{
	struct kh_block_spec spec = plain;
	struct kh_view many[20];
	static char large[KH_BLOCK_CONTENT_MAX + 1];

	spec.content = KH_LIT("ab\xc3(");
	refuse(t, spec, KH_EINPUT, "bad_utf8");
	spec.content = KH_LIT("\xed\xa0\x80");
	refuse(t, spec, KH_EINPUT, "bad_utf8");
	spec.content = kh_view_of(large, sizeof(large));
	refuse(t, spec, KH_ELIMIT, "too_large");
	spec = plain;
	spec.source = KH_LIT("\xff");
	refuse(t, spec, KH_EINPUT, "bad_utf8");
	spec.source = kh_view_of(large, KH_BLOCK_SOURCE_MAX + 1);
	refuse(t, spec, KH_ELIMIT, "too_large");
	spec = plain;
	spec.created_at = -1;
	refuse(t, spec, KH_EINPUT, "bad_value");
	spec.created_at = INT64_MAX;
	refuse(t, spec, KH_EINPUT, "bad_value");
	spec = plain;
	spec.tainted_by = many;
	many[0] = KH_LIT("b003");
	spec.tainted_by_count = 1;
	refuse(t, spec, KH_EREFUSED, "self_reference");
	many[0] = KH_LIT("b1,b2");
	refuse(t, spec, KH_EINPUT, "bad_id");
	many[0] = many[1] = KH_LIT("b1");
	spec.tainted_by_count = 2;
	refuse(t, spec, KH_EREFUSED, "duplicate_reference");
	for (size_t i = 0; i < 20; i++)
		many[i] = kh_arena_printf(&t->arena, "x%zu", i % 19);
	must(t, kh_arena_check(&t->arena));
	spec.tainted_by_count = 20;
	refuse(t, spec, KH_EREFUSED, "duplicate_reference");
	spec.tainted_by_count = 19;
	const struct kh_block *block;
	must(t, kh_block_make(&t->arena, &spec, &block, &t->err));
}

/* What every way of making a block must hold to. */
static void check_labels(const struct kh_block *block)
{
	assert_false(block->trust == KH_UNTRUSTED && block->type == KH_INSTRUCTION);
	assert_true(block->taint >= kh_label_initial_taint(block->trust));
}

/* One combination of labels through one way in; E is what came of it. */
static void check_way(struct kh_test *t, enum kh_err e, const struct kh_block *block, const struct kh_block_spec *asked)
{
	if (asked->trust == KH_UNTRUSTED && asked->type == KH_INSTRUCTION) {
		must_fail(t, KH_EREFUSED, e);
		assert_string_equal(t->err.code, "untrusted_instruction");
		return;
	}
	must(t, e);
	check_labels(block);
	assert_int_equal(block->trust, asked->trust);
	assert_int_equal(block->type, asked->type);
	assert_int_equal(block->taint, kh_label_max_taint(asked->taint, kh_label_initial_taint(asked->trust)));
}

/*
 * K1, B23: an exhaustive proof.  For every trust, type and taint, by every way in (constructor, JSON, XML), no
 * untrusted instruction and no lowered taint comes out.
 */
static void test_every_combination(struct kh_test *t)
{
	for (unsigned i = 0; i < 3 * 2 * 3; i++) {
		struct kh_block_spec spec = plain;
		const struct kh_block *block = NULL;
		struct kh_blocks set;
		yyjson_val *root;

		spec.trust = (enum kh_trust)(i % 3);
		spec.type = (enum kh_type)(i / 3 % 2);
		spec.taint = (enum kh_taint)(i / 6);
		enum kh_err e = kh_block_make(&t->arena, &spec, &block, &t->err);
		check_way(t, e, block, &spec);

		const char *trust = kh_words_name(&kh_label_trust_words, spec.trust),
			   *type = kh_words_name(&kh_label_type_words, spec.type);
		const char *taint = kh_words_name(&kh_label_taint_words, spec.taint);
		struct kh_view json = kh_arena_printf(
			&t->arena, "{\"id\":\"b\",\"trust\":\"%s\",\"type\":\"%s\",\"taint\":\"%s\",\"content\":\"x\"}",
			trust, type, taint);
		must(t, kh_arena_check(&t->arena));
		must(t, kh_json_read(&t->arena, json, &root, &t->err));
		kh_blocks_init(&set, &t->arena, seed);
		e = kh_blockjson_read(&set, root, &t->err);
		check_way(t, e, e == KH_OK ? set.at[0] : NULL, &spec);
		assert_int_equal(set.n, e == KH_OK);

		struct kh_view xml = kh_arena_printf(
			&t->arena, "<block id='b' trust='%s' type='%s' taint='%s'>x</block>", trust, type, taint);
		must(t, kh_arena_check(&t->arena));
		kh_blocks_init(&set, &t->arena, seed);
		e = kh_xml_read(&set, xml, &t->err);
		check_way(t, e, e == KH_OK ? set.at[0] : NULL, &spec);
		assert_int_equal(set.n, e == KH_OK);
	}
}

/* K1: labels that are no labels, as memory could hold them, are refused and not looked up anywhere. */
static void test_no_label(struct kh_test *t)
{
	struct kh_block_spec spec = plain;

	spec.trust = (enum kh_trust)3;
	refuse(t, spec, KH_EINPUT, "bad_value");
	spec = plain;
	spec.type = (enum kh_type)2;
	refuse(t, spec, KH_EINPUT, "bad_value");
	spec = plain;
	spec.taint = (enum kh_taint)3;
	refuse(t, spec, KH_EINPUT, "bad_value");
}

/* B23: a delivery is untrusted data, one step below its Reader's taint, whatever it asks to be. */
static void test_delivery(struct kh_test *t)
{
	static const enum kh_taint steps[][2] = {
		{KH_TAINT_HIGH, KH_TAINT_MEDIUM}, {KH_TAINT_MEDIUM, KH_TAINT_LOW}, {KH_TAINT_LOW, KH_TAINT_LOW}};

	for (unsigned i = 0; i < 3 * 2 * 3 * 3; i++) {
		struct kh_block_spec spec = plain;
		const struct kh_block *block;
		spec.trust = (enum kh_trust)(i % 3);
		spec.type = (enum kh_type)(i / 3 % 2);
		spec.taint = (enum kh_taint)(i / 6 % 3);
		must(t, kh_block_delivery(&t->arena, &spec, steps[i / 18][0], &block, &t->err));
		assert_int_equal(block->trust, KH_UNTRUSTED);
		assert_int_equal(block->type, KH_DATA);
		assert_int_equal(block->taint, steps[i / 18][1]);
	}
	struct kh_block_spec spec = plain;
	const struct kh_block *block = NULL;
	spec.id = KH_LIT("no id");
	must_fail(t, KH_EINPUT, kh_block_delivery(&t->arena, &spec, KH_TAINT_HIGH, &block, &t->err));
	must_fail(t, KH_EINPUT, kh_block_delivery(&t->arena, &plain, (enum kh_taint)3, &block, &t->err));
	assert_null(block);
}

/* B23: what was delivered keeps its taint when it is written, and cannot use that to get in again below high. */
static void test_delivery_travels(struct kh_test *t)
{
	const struct kh_block *block;
	struct kh_blocks set, back;
	struct kh_view xml;

	kh_blocks_init(&set, &t->arena, seed);
	must(t, kh_block_delivery(&t->arena, &plain, KH_TAINT_HIGH, &block, &t->err));
	must(t, kh_blocks_put(&set, block, &t->err));
	must(t, kh_xml_write(&t->arena, &set, &xml));
	assert_view(xml, "<block id=\"b003\" trust=\"untrusted\" type=\"data\" taint=\"medium\">abc</block>");
	kh_blocks_init(&back, &t->arena, seed);
	must(t, kh_xml_read(&back, xml, &t->err));
	assert_int_equal(back.at[0]->taint, KH_TAINT_HIGH);
}

/* K1: a set keeps the order, finds by id, and takes each id once. */
static void test_set(struct kh_test *t)
{
	struct kh_blocks set;
	struct kh_block_spec spec = plain;

	kh_blocks_init(&set, &t->arena, seed);
	assert_int_equal(kh_blocks_find(&set, KH_LIT("n0")), KH_BLOCKS_NONE);
	for (size_t i = 0; i < 1000; i++) {
		spec.id = kh_arena_printf(&t->arena, "n%zu", i);
		must(t, kh_arena_check(&t->arena));
		must(t, kh_blocks_add(&set, &spec, &t->err));
	}
	for (size_t i = 0; i < 1000; i++) {
		spec.id = kh_arena_printf(&t->arena, "n%zu", i);
		must(t, kh_arena_check(&t->arena));
		assert_int_equal(kh_blocks_find(&set, spec.id), i);
		must_fail(t, KH_EREFUSED, kh_blocks_add(&set, &spec, &t->err));
		assert_string_equal(t->err.code, "duplicate_id");
	}
	assert_int_equal(set.n, 1000);
	assert_int_equal(kh_blocks_find(&set, KH_LIT("n1000")), KH_BLOCKS_NONE);
}

/* K9, B23: an agent's output is trusted, and its taint is at least that of all that its context was given. */
static void test_output(struct kh_test *t)
{
	struct kh_view by[] = {KH_LIT("sys"), KH_LIT("b003")};
	struct kh_block_spec spec = {
		.id = KH_LIT("agent-1"), .trust = KH_UNTRUSTED, .type = KH_INSTRUCTION, .content = KH_LIT("hi")};
	const struct kh_block *output;

	spec.tainted_by = by;
	spec.tainted_by_count = 2;
	for (unsigned given = KH_TAINT_LOW; given <= KH_TAINT_HIGH; given++) {
		must(t, kh_block_output(&t->arena, &spec, (enum kh_taint)given, &output, &t->err));
		assert_int_equal(output->trust, KH_TRUSTED);
		assert_int_equal(output->type, KH_INSTRUCTION);
		assert_int_equal(output->taint, given);
		assert_int_equal(output->tainted_by_count, 2);
		assert_view(output->tainted_by[1], "b003");
	}
	/* What is said of it can only raise its taint. */
	spec.taint = KH_TAINT_MEDIUM;
	must(t, kh_block_output(&t->arena, &spec, KH_TAINT_LOW, &output, &t->err));
	assert_int_equal(output->taint, KH_TAINT_MEDIUM);
	must(t, kh_block_output(&t->arena, &spec, KH_TAINT_HIGH, &output, &t->err));
	assert_int_equal(output->taint, KH_TAINT_HIGH);
	by[1] = spec.id;
	must_fail(t, KH_EREFUSED, kh_block_output(&t->arena, &spec, KH_TAINT_LOW, &output, &t->err));
	assert_string_equal(t->err.code, "self_reference");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_make),     KH_TEST(test_ids),      KH_TEST(test_refused),          KH_TEST(test_every_combination),
	KH_TEST(test_no_label), KH_TEST(test_delivery), KH_TEST(test_delivery_travels), KH_TEST(test_set),
	KH_TEST(test_output),
};
KH_TEST_MAIN(cases)
