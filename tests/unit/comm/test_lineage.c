#include "core/comm/lineage.h"
#include "harness.h"

static void make(struct kh_test *t, const char *source, struct kh_attribution *ret)
{
	*ret = (struct kh_attribution){.operation = KH_LIT("comm.fetch"),
				       .session_id = KH_LIT("s1"),
				       .source = kh_view_str(source),
				       .timestamp = 1000000};
	must(t, kh_attribution_make(&t->arena, ret, kh_view_str(source), &t->err));
}

/* The lineage as JSON text, with WHAT replaced by WITH, read back. */
static yyjson_val *edited(struct kh_test *t, const struct kh_lineage *lineage, const char *what, const char *with)
{
	struct kh_view text;
	yyjson_val *val;

	must(t, kh_lineage_canonical(&t->arena, lineage, &text));
	size_t at = kh_view_find(text, kh_view_str(what), 0);
	assert_true(at != SIZE_MAX);
	struct kh_view end = kh_view_from(text, at + strlen(what));
	text = kh_arena_printf(&t->arena, "%.*s%s%.*s", (int)at, text.p, with, KH_FMT(end));
	must(t, kh_arena_check(&t->arena));
	must(t, kh_json_read(&t->arena, text, &val, &t->err));
	return val;
}

/* E10, E13 (Attribution Guard: attribution preserved through transformations): extract, then deliver. */
static void test_preserved(struct kh_test *t)
{
	struct kh_attribution sources[3];
	struct kh_lineage first, second, read;

	make(t, "https://a.example/", &sources[0]);
	make(t, "https://b.example/", &sources[1]);
	sources[2] = sources[0];
	must(t, kh_lineage_derive(&t->arena, sources, 3, KH_LIT("extracted"), &first, &t->err));
	assert_int_equal(first.source_count, 2);
	must(t,
	     kh_lineage_derive(&t->arena, first.sources, first.source_count, KH_LIT("2026-03-15"), &second, &t->err));
	must(t, kh_lineage_check(&t->arena, edited(t, &second, "{", "{"), KH_LIT("2026-03-15"), &read, &t->err));
	assert_int_equal(read.source_count, 2);
	assert_view(read.sources[0].source, "https://a.example/");
	assert_view(read.sources[1].source, "https://b.example/");
	assert_memory_equal(read.sources[1].digest.bytes, sources[1].digest.bytes, KH_DIGEST_SIZE);
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
	struct kh_lineage lineage, read;

	make(t, "https://a.example/", &sources[0]);
	make(t, "https://b.example/", &sources[1]);
	must(t, kh_lineage_derive(&t->arena, sources, 2, KH_LIT("text"), &lineage, &t->err));
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		yyjson_val *val = edited(t, &lineage, edits[i][0], edits[i][1]);
		enum kh_err e = kh_lineage_check(&t->arena, val, KH_LIT("text"), &read, &t->err);
		if (e == KH_ENOMEM)
			must(t, e);
		if (e == KH_OK)
			fail_msg("passed: %s", edits[i][1]);
	}
	must_fail(t, KH_ECHANGED,
		  kh_lineage_check(&t->arena, edited(t, &lineage, "{", "{"), KH_LIT("other"), &read, &t->err));
	/* A shorter list does not carry the longer one's digest. */
	struct kh_lineage shorter = lineage;
	shorter.source_count = 1;
	must_fail(t, KH_ECHANGED,
		  kh_lineage_check(&t->arena, edited(t, &shorter, "{", "{"), KH_LIT("text"), &read, &t->err));
}

static void test_refused(struct kh_test *t)
{
	struct kh_attribution source;
	struct kh_lineage lineage;

	make(t, "https://a.example/", &source);
	must_fail(t, KH_EREFUSED, kh_lineage_derive(&t->arena, &source, 0, KH_LIT("x"), &lineage, &t->err));
	assert_string_equal(t->err.code, "attribution_missing");
	must_fail(t, KH_ELIMIT,
		  kh_lineage_derive(&t->arena, &source, KH_LINEAGE_SOURCES_MAX + 1, KH_LIT("x"), &lineage, &t->err));
	must_fail(t, KH_EINPUT, kh_lineage_derive(&t->arena, &source, 1, KH_LIT("\xff"), &lineage, &t->err));
	must_fail(t, KH_EREFUSED, kh_lineage_check(&t->arena, NULL, KH_LIT("x"), &lineage, &t->err));
	static char many[3 * (KH_LINEAGE_SOURCES_MAX + 1) + 16] = "{\"sources\":[";
	yyjson_val *val;
	size_t n = 12;
	for (size_t i = 0; i <= KH_LINEAGE_SOURCES_MAX; i++, n += 3)
		memcpy(many + n, "{},", 3);
	memcpy(many + n - 1, "]}", 3);
	must(t, kh_json_read(&t->arena, kh_view_str(many), &val, &t->err));
	must_fail(t, KH_ELIMIT, kh_lineage_check(&t->arena, val, KH_LIT("x"), &lineage, &t->err));
}

static const struct kh_test_case cases[] = {KH_TEST(test_preserved), KH_TEST(test_changed), KH_TEST(test_refused)};
KH_TEST_MAIN(cases)
