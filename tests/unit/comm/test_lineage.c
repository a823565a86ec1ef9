#include "core/comm/lineage.h"

#include "comm/bound.h"

static void make(struct kh_test *t, const char *source, struct kh_attribution *ret)
{
	*ret = (struct kh_attribution){.operation = KH_LIT("comm.fetch"),
				       .session_id = KH_LIT("s1"),
				       .source = kh_view_str(source),
				       .timestamp = 1000000};
	must(t, kh_attribution_make(&t->arena, ret, kh_view_str(source), &t->err));
}

/* LINEAGE with WHAT replaced by WITH. */
static struct kh_view edited(struct kh_test *t, struct kh_view lineage, const char *what, const char *with)
{
	size_t at = kh_view_find(lineage, kh_view_str(what), 0);

	assert_true(at != SIZE_MAX);
	struct kh_view end = kh_view_from(lineage, at + strlen(what));
	struct kh_view text = kh_arena_printf(&t->arena, "%.*s%s%.*s", (int)at, lineage.p, with, KH_FMT(end));
	must(t, kh_arena_check(&t->arena));
	return text;
}

/* E10, E13 (Attribution Guard: attribution preserved through transformations): extract, then deliver. */
static void test_preserved(struct kh_test *t)
{
	struct kh_attribution sources[3], read[3];
	struct kh_view first, second;

	make(t, "https://a.example/", &sources[0]);
	make(t, "https://b.example/", &sources[1]);
	sources[2] = sources[0];
	must(t, kh_lineage_derive(&t->arena, sources, 3, KH_LIT("extracted"), &first, &t->err));
	assert_int_equal(lineage_sources(t, first, read, 3), 2);
	must(t, kh_lineage_derive(&t->arena, read, 2, KH_LIT("2026-03-15"), &second, &t->err));
	assert_true(lineage_is_bound(t, second, KH_LIT("2026-03-15")));
	assert_int_equal(lineage_sources(t, second, read, 3), 2);
	assert_view(read[0].source, "https://a.example/");
	assert_view(read[1].source, "https://b.example/");
	assert_memory_equal(read[1].digest.bytes, sources[1].digest.bytes, KH_DIGEST_SIZE);
}

/* E10, E13 (red line: attribution bypass): no source can be left out, swapped or cleaned. */
static void test_changed(struct kh_test *t)
{
	static const char *const edits[][2] = {
		{"\"digest\":\"", "\"digest\":\"0"},
		{"https://b.example/", "https://c.example/"},
		{"\"sources\":[", "\"sources\":[],\"old\":["},
		{"],\"trust_level\":\"UNTRUSTED_EXTERNAL_CONTENT\"", "],\"trust_level\":\"TRUSTED\""},
		{"],\"trust_level\"", "],\"vetted\":true,\"trust_level\""},
	};
	struct kh_attribution sources[2];
	struct kh_view lineage, shorter, metadata;

	make(t, "https://a.example/", &sources[0]);
	make(t, "https://b.example/", &sources[1]);
	must(t, kh_lineage_derive(&t->arena, sources, 2, KH_LIT("text"), &lineage, &t->err));
	assert_true(lineage_is_bound(t, lineage, KH_LIT("text")));
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		if (lineage_is_bound(t, edited(t, lineage, edits[i][0], edits[i][1]), KH_LIT("text")))
			fail_msg("passed: %s", edits[i][1]);
	}
	assert_false(lineage_is_bound(t, lineage, KH_LIT("other")));
	/* A shorter list does not carry the longer one's digest. */
	must(t, kh_attribution_canonical(&t->arena, &sources[1], &metadata));
	struct kh_view last = kh_arena_printf(&t->arena, ",%.*s", KH_FMT(metadata));
	must(t, kh_arena_check(&t->arena));
	shorter = edited(t, lineage, last.p, "");
	assert_false(lineage_is_bound(t, shorter, KH_LIT("text")));
}

static void test_refused(struct kh_test *t)
{
	struct kh_attribution source;
	struct kh_view lineage;

	make(t, "https://a.example/", &source);
	must_fail(t, KH_EREFUSED, kh_lineage_derive(&t->arena, &source, 0, KH_LIT("x"), &lineage, &t->err));
	assert_string_equal(t->err.code, "attribution_missing");
	must_fail(t, KH_ELIMIT,
		  kh_lineage_derive(&t->arena, &source, KH_LINEAGE_SOURCES_MAX + 1, KH_LIT("x"), &lineage, &t->err));
	must_fail(t, KH_EINPUT, kh_lineage_derive(&t->arena, &source, 1, KH_LIT("\xff"), &lineage, &t->err));
}

static enum kh_err check(struct kh_test *t, struct kh_view lineage, const char *content, const char *session,
			 struct kh_attribution *ret)
{
	yyjson_val *root = NULL;

	must(t, kh_json_read(&t->arena, lineage, &root, &t->err));
	assert_true(kh_lineage_is(root));
	return kh_lineage_check(&t->arena, root, kh_view_str(content), kh_view_str(session), ret, &t->err);
}

/* E10: recomputed at every use, for this content and this session; it then has one attribution of its own. */
static void test_checked(struct kh_test *t)
{
	static const char *const edits[][2] = {
		{"https://b.example/", "https://c.example/"},
		{"\"digest\":\"", "\"digest\":\"0"},
		{"],\"trust_level\":\"UNTRUSTED_EXTERNAL_CONTENT\"", "],\"trust_level\":\"TRUSTED\""},
		{"],\"trust_level\"", "],\"vetted\":true,\"trust_level\""},
	};
	struct kh_attribution sources[2], one, again;
	struct kh_view lineage, metadata;
	yyjson_val *root = NULL;

	make(t, "https://a.example/", &sources[0]);
	make(t, "https://b.example/", &sources[1]);
	must(t, kh_lineage_derive(&t->arena, sources, 2, KH_LIT("text"), &lineage, &t->err));
	must(t, check(t, lineage, "text", "s1", &one));
	assert_view(one.source, "https://a.example/, https://b.example/");
	assert_view(one.operation, "comm.fetch");
	must(t, kh_attribution_canonical(&t->arena, &one, &metadata));
	must(t, kh_json_read(&t->arena, metadata, &root, &t->err));
	assert_false(kh_lineage_is(root));
	must(t, kh_attribution_check(&t->arena, root, KH_LIT("text"), KH_LIT("s1"), &again, &t->err));
	must_fail(t, KH_ECHANGED, check(t, lineage, "texts", "s1", &one));
	must_fail(t, KH_EREFUSED, check(t, lineage, "text", "s2", &one));
	assert_string_equal(t->err.code, "session_mismatch");
	must_fail(t, KH_EREFUSED, check(t, lineage, "text", "", &one));
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		enum kh_err e = check(t, edited(t, lineage, edits[i][0], edits[i][1]), "text", "s1", &one);
		if (e == KH_ENOMEM)
			must(t, e);
		assert_true(e == KH_ECHANGED || e == KH_EREFUSED);
	}
	must_fail(t, KH_EREFUSED, check(t, KH_LIT("{\"sources\":[]}"), "text", "s1", &one));
}

static const struct kh_test_case cases[] = {KH_TEST(test_checked), KH_TEST(test_preserved), KH_TEST(test_changed),
					    KH_TEST(test_refused)};
KH_TEST_MAIN(cases)
