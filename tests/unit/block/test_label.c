#include "core/block/label.h"
#include "core/block/meta.h"
#include "harness.h"

/* K1: the words, both ways, exactly. */
static void test_words(struct kh_test *t)
{
	static const char *const bad[] = {"",     "Trusted", "trusted ", "un trusted", "instructions",
					  "DATA", "none",    "highest"};
	enum kh_trust trust;
	enum kh_type type;
	enum kh_taint taint;

	(void)t;
	for (int i = KH_TRUSTED; i <= KH_UNTRUSTED; i++)
		assert_true(kh_label_parse_trust(kh_view_str(kh_label_trust((enum kh_trust)i)), &trust) &&
			    (int)trust == i);
	for (int i = KH_INSTRUCTION; i <= KH_DATA; i++)
		assert_true(kh_label_parse_type(kh_view_str(kh_label_type((enum kh_type)i)), &type) && (int)type == i);
	for (int i = KH_TAINT_LOW; i <= KH_TAINT_HIGH; i++)
		assert_true(kh_label_parse_taint(kh_view_str(kh_label_taint((enum kh_taint)i)), &taint) &&
			    (int)taint == i);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_view word = kh_view_str(bad[i]);
		assert_false(kh_label_parse_trust(word, &trust) || kh_label_parse_type(word, &type) ||
			     kh_label_parse_taint(word, &taint));
	}
	assert_int_equal(kh_label_initial_taint(KH_TRUSTED), KH_TAINT_LOW);
	assert_int_equal(kh_label_initial_taint(KH_VETTED), KH_TAINT_LOW);
	assert_int_equal(kh_label_initial_taint(KH_UNTRUSTED), KH_TAINT_HIGH);
}

/* K10: labels are written under keyhole/. */
static void test_write(struct kh_test *t)
{
	struct kh_view by[] = {KH_LIT("b001"), KH_LIT("b003")}, text;
	struct kh_block_spec spec = {
		.id = KH_LIT("d1"), .tainted_by = by, .tainted_by_count = 2, .content = KH_LIT("5")};
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *meta = yyjson_mut_obj(doc);
	const struct kh_block *block;

	must(t, kh_block_delivery(&t->arena, &spec, KH_TAINT_HIGH, &block, &t->err));
	kh_meta_write(doc, meta, block);
	must(t, kh_json_write(&t->arena, meta, &text));
	assert_view(text, "{\"keyhole/trust\":\"untrusted\",\"keyhole/taint\":\"medium\","
			  "\"keyhole/provenance\":[\"d1\",\"b001\",\"b003\"]}");
}

static void lowers(struct kh_test *t, const char *meta, enum kh_trust trust, enum kh_taint taint,
		   enum kh_trust want_trust, enum kh_taint want_taint)
{
	yyjson_val *root;

	must(t, kh_json_read(&t->arena, kh_view_str(meta), &root, &t->err));
	kh_meta_lower(root, &trust, &taint);
	assert_int_equal(trust, want_trust);
	assert_int_equal(taint, want_taint);
}

/* K10: what an upstream sends can only lower trust and raise taint: every combination of ours and theirs. */
static void test_every_combination(struct kh_test *t)
{
	for (unsigned i = 0; i < 81; i++) {
		enum kh_trust ours = (enum kh_trust)(i % 3), theirs = (enum kh_trust)(i / 3 % 3);
		enum kh_taint level = (enum kh_taint)(i / 9 % 3), sent = (enum kh_taint)(i / 27);
		struct kh_view meta = kh_arena_printf(&t->arena,
						      "{\"keyhole/trust\":\"%s\",\"keyhole/taint\":\"%s\"}%c",
						      kh_label_trust(theirs), kh_label_taint(sent), '\0');
		must(t, kh_arena_check(&t->arena));
		enum kh_trust trust = ours > theirs ? ours : theirs;
		enum kh_taint taint = kh_label_max_taint(kh_label_max_taint(level, sent),
							 kh_label_initial_taint(trust));
		lowers(t, meta.p, ours, level, trust, taint);
	}
}

/* K10: labels that are not understood count as the worst; no labels change nothing. */
static void test_odd_labels(struct kh_test *t)
{
	lowers(t, "{}", KH_TRUSTED, KH_TAINT_LOW, KH_TRUSTED, KH_TAINT_LOW);
	lowers(t, "[]", KH_VETTED, KH_TAINT_MEDIUM, KH_VETTED, KH_TAINT_MEDIUM);
	lowers(t, "{\"keyhole/trust\":\"Trusted\"}", KH_TRUSTED, KH_TAINT_LOW, KH_UNTRUSTED, KH_TAINT_HIGH);
	lowers(t, "{\"keyhole/trust\":null}", KH_TRUSTED, KH_TAINT_LOW, KH_UNTRUSTED, KH_TAINT_HIGH);
	lowers(t, "{\"keyhole/taint\":0}", KH_TRUSTED, KH_TAINT_LOW, KH_TRUSTED, KH_TAINT_HIGH);
	lowers(t, "{\"trust\":\"untrusted\"}", KH_TRUSTED, KH_TAINT_LOW, KH_TRUSTED, KH_TAINT_LOW);
	enum kh_trust trust = KH_VETTED;
	enum kh_taint taint = KH_TAINT_LOW;
	kh_meta_lower(NULL, &trust, &taint);
	assert_int_equal(trust, KH_VETTED);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_words), KH_TEST(test_write),
					    KH_TEST(test_every_combination), KH_TEST(test_odd_labels)};
KH_TEST_MAIN(cases)
