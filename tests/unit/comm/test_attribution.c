#include "core/comm/attribution.h"
#include "harness.h"

#define NOW INT64_C(1769855400000000) /* 2026-01-31T10:30:00Z */

static const struct kh_attribution parts = {.operation = KH_LIT_INIT("comm.search"),
					    .session_id = KH_LIT_INIT("abc123"),
					    .source = KH_LIT_INIT("https://example.com"),
					    .timestamp = NOW};

static struct kh_attribution make(struct kh_test *t, const char *content)
{
	struct kh_attribution attribution = parts;

	must(t, kh_attribution_make(&t->arena, &attribution, kh_view_str(content), &t->err));
	return attribution;
}

/* Metadata as text, with WHAT in it replaced by WITH. */
static yyjson_val *metadata(struct kh_test *t, const struct kh_attribution *attribution, const char *what,
			    const char *with)
{
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *obj = kh_attribution_json(&t->arena, doc, attribution);
	struct kh_view text;
	yyjson_val *val;

	must(t, kh_json_write(&t->arena, obj, &text));
	size_t at = kh_view_find(text, kh_view_str(what), 0);
	assert_true(at != SIZE_MAX);
	struct kh_view end = kh_view_from(text, at + strlen(what));
	text = kh_arena_printf(&t->arena, "%.*s%s%.*s", (int)at, text.p, with, KH_FMT(end));
	must(t, kh_arena_check(&t->arena));
	must(t, kh_json_read(&t->arena, text, &val, &t->err));
	return val;
}

static enum kh_err check(struct kh_test *t, yyjson_val *val, const char *content, struct kh_view session)
{
	struct kh_attribution read;

	return kh_attribution_check(&t->arena, val, kh_view_str(content), session, &read, &t->err);
}

/* E10: the canonical JSON is that of the metadata, and the digest that of content and metadata, whatever writes it. */
static void test_canonical(struct kh_test *t)
{
	struct kh_attribution attribution = parts;
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	struct kh_view text, want;

	attribution.source = KH_LIT("a \"quoted\" \\ \xc3\xa9\xf0\x9f\x98\x80 source");
	attribution.audit_id = KH_LIT("ev-1");
	attribution.timestamp = NOW + 120;
	must(t, kh_attribution_make(&t->arena, &attribution, KH_LIT("two\nlines\x01\t\"\\\xc3\xa9"), &t->err));
	must(t, kh_attribution_canonical(&t->arena, &attribution, &text));
	yyjson_mut_val *metadata = kh_attribution_json(&t->arena, doc, &attribution);
	must(t, kh_arena_check(&t->arena));
	must(t, kh_canonical_mut(&t->arena, metadata, &want, &t->err));
	assert_view(text, kh_arena_printf(&t->arena, "%.*s", KH_FMT(want)).p);
	kh_json_add(doc, root, "content", KH_LIT("two\nlines\x01\t\"\\\xc3\xa9"));
	yyjson_mut_obj_remove_key(metadata, "digest");
	yyjson_mut_obj_add_val(doc, root, "metadata", metadata);
	must(t, kh_arena_check(&t->arena));
	must(t, kh_canonical_mut(&t->arena, root, &want, &t->err));
	struct kh_digest digest = kh_canonical_digest(want);
	assert_memory_equal(attribution.digest.bytes, digest.bytes, KH_DIGEST_SIZE);
}

/* E10, E13 (Attribution Guard: correct format generated). */
static void test_format(struct kh_test *t)
{
	struct kh_attribution attribution = make(t, "some text");
	yyjson_val *val = metadata(t, &attribution, "{", "{");

	assert_view(kh_json_str(kh_json_get(val, "attribution")), "CommunicationOS (search) in session abc123");
	assert_view(kh_json_str(kh_json_get(val, "source")), "https://example.com");
	assert_view(kh_json_str(kh_json_get(val, "timestamp")), "2026-01-31T10:30:00Z");
	assert_view(kh_json_str(kh_json_get(val, "trust_level")), "UNTRUSTED_EXTERNAL_CONTENT");
	assert_view(kh_json_str(kh_json_get(val, "operation")), "comm.search");
	assert_view(kh_json_str(kh_json_get(val, "session_id")), "abc123");
	assert_int_equal(kh_json_str(kh_json_get(val, "content_hash")).n, 64);
	assert_int_equal(kh_json_str(kh_json_get(val, "digest")).n, 64);
	assert_null(kh_json_get(val, "audit_id"));
	must(t, check(t, val, "some text", KH_LIT("abc123")));
	struct kh_attribution read;
	must(t, kh_attribution_prove(&t->arena, val, KH_LIT("some text"), &read, &t->err));
	assert_view(read.session_id, "abc123");
	attribution.audit_id = KH_LIT("ev-1");
	must(t, kh_attribution_make(&t->arena, &attribution, KH_LIT(""), &t->err));
	val = metadata(t, &attribution, "{", "{");
	assert_view(kh_json_str(kh_json_get(val, "audit_id")), "ev-1");
	must(t, check(t, val, "", KH_LIT("abc123")));
}

/* E10: of content that somebody put in it says so; there is no operation that it could name. */
static void test_put(struct kh_test *t)
{
	struct kh_attribution attribution = parts, read;

	attribution.put_by = KH_LIT("controller");
	must_fail(t, KH_EREFUSED, kh_attribution_make(&t->arena, &attribution, KH_LIT("some text"), &t->err));
	assert_string_equal(t->err.code, "attribution_malformed");
	attribution.operation = KH_LIT("content.put");
	must(t, kh_attribution_make(&t->arena, &attribution, KH_LIT("some text"), &t->err));
	yyjson_val *val = metadata(t, &attribution, "{", "{");
	assert_view(kh_json_str(kh_json_get(val, "attribution")),
		    "CommunicationOS (put by controller) in session abc123");
	assert_view(kh_json_str(kh_json_get(val, "put_by")), "controller");
	must(t, kh_attribution_prove(&t->arena, val, KH_LIT("some text"), &read, &t->err));
	assert_view(read.put_by, "controller");
	/* It cannot be taken off, nor be another's. */
	val = metadata(t, &attribution, "\"put_by\":\"controller\"", "\"put_by\":\"host\"");
	must_fail(t, KH_EREFUSED, check(t, val, "some text", KH_LIT("abc123")));
	val = metadata(t, &attribution, "\"put_by\"", "\"put_bye\"");
	must_fail(t, KH_EUNKNOWN, check(t, val, "some text", KH_LIT("abc123")));
	attribution.put_by = KH_LIT("");
	must_fail(t, KH_EUNKNOWN, kh_attribution_make(&t->arena, &attribution, KH_LIT("some text"), &t->err));
}

/* E10, E13 (Attribution Guard: missing attribution rejected; red line: attribution bypass). */
static void test_missing(struct kh_test *t)
{
	static const char *const members[] = {"attribution", "source",     "timestamp",    "trust_level",
					      "operation",   "session_id", "content_hash", "digest"};
	struct kh_attribution attribution = make(t, "some text");

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		struct kh_view what = kh_arena_printf(&t->arena, "\"%s\":", members[i]);
		struct kh_view with = kh_arena_printf(&t->arena, "\"x%s\":", members[i]);
		must(t, kh_arena_check(&t->arena));
		yyjson_val *val = metadata(t, &attribution, what.p, with.p);
		must_fail(t, KH_EREFUSED, check(t, val, "some text", KH_LIT("abc123")));
		assert_string_equal(t->err.code, "attribution_missing");
		assert_string_equal(t->err.member, members[i]);
	}
	must_fail(t, KH_EREFUSED, check(t, NULL, "some text", KH_LIT("abc123")));
	assert_string_equal(t->err.code, "attribution_missing");
}

/*
 * E10, E13 (Attribution Guard: wrong session ID rejected).  The running system looked for the id anywhere in the text:
 * "abc" was found in "abc123", and an empty id everywhere.
 */
static void test_session(struct kh_test *t)
{
	static const char *const others[] = {"abc", "123", "abc1234", "ABC123", "bc12", "", "abc123 "};
	struct kh_attribution attribution = make(t, "some text");
	yyjson_val *val = metadata(t, &attribution, "{", "{");

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		must_fail(t, KH_EREFUSED, check(t, val, "some text", kh_view_str(others[i])));
		assert_string_equal(t->err.code, "session_mismatch");
	}
	must_fail(t, KH_EREFUSED, check(t, val, "some text", (struct kh_view){NULL, 0}));
	attribution.session_id = KH_LIT("");
	must_fail(t, KH_EREFUSED, kh_attribution_make(&t->arena, &attribution, KH_LIT("x"), &t->err));
	assert_string_equal(t->err.code, "session_malformed");
	attribution.session_id = KH_LIT("abc) in session abc123");
	must_fail(t, KH_EREFUSED, kh_attribution_make(&t->arena, &attribution, KH_LIT("x"), &t->err));
}

/* E10: any change is found: a forged member, another content, an addition. */
static void test_changed(struct kh_test *t)
{
	static const char *const malformed[][2] = {
		{"CommunicationOS (search)", "CommunicationOS (fetch)"},
		{"in session abc123", "in session abc1234"},
		{"in session abc123", "in session abc123 (verified)"},
		{"UNTRUSTED_EXTERNAL_CONTENT", "TRUSTED"},
		{"UNTRUSTED_EXTERNAL_CONTENT", "untrusted_external_content"},
		{"\"session_id\":\"abc123\"", "\"session_id\":\"abc\""},
		{"10:30:00Z", "10:30:00.0Z"},
		{"10:30:00Z", "10:30:00+00:00"},
		{"\"digest\":\"", "\"digest\":\"0"},
		{"\"content_hash\":\"", "\"content_hash\":\"x"},
		{"\"digest\":", "\"vetted\":true,\"digest\":"},
		{"\"source\":\"https://example.com\"", "\"source\":[\"https://example.com\"]"},
	};
	static const char *const changed[][2] = {
		{"\"source\":\"https://example.com\"", "\"source\":\"https://example.org\""},
		{"10:30:00Z", "10:30:01Z"},
		{"\"digest\":", "\"audit_id\":\"ev-1\",\"digest\":"},
	};
	struct kh_attribution attribution = make(t, "some text");

	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		yyjson_val *val = metadata(t, &attribution, malformed[i][0], malformed[i][1]);
		enum kh_err e = check(t, val, "some text", KH_LIT("abc123"));
		if (e == KH_ENOMEM)
			must(t, e);
		if (e == KH_OK)
			fail_msg("passed: %s", malformed[i][1]);
	}
	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
		yyjson_val *val = metadata(t, &attribution, changed[i][0], changed[i][1]);
		must_fail(t, KH_ECHANGED, check(t, val, "some text", KH_LIT("abc123")));
	}
	must_fail(t, KH_ECHANGED, check(t, metadata(t, &attribution, "{", "{"), "some text.", KH_LIT("abc123")));
	assert_string_equal(t->err.code, "changed");
}

/* E2, E10: parts that cannot be attributed. */
static void test_refused(struct kh_test *t)
{
	static const char *const sources[] = {
		"", "a\nb", "a\tb", "a\xe2\x80\x8b\x62", "\xe2\x80\xaex", "a\xc2\xa0\x62", "\xff"};
	struct kh_attribution attribution;

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		attribution = parts;
		attribution.source = kh_view_str(sources[i]);
		enum kh_err e = kh_attribution_make(&t->arena, &attribution, KH_LIT("x"), &t->err);
		if (e == KH_ENOMEM)
			must(t, e);
		assert_int_not_equal(e, KH_OK);
		assert_string_equal(t->err.member, "source");
	}
	static char long_source[KH_ATTRIBUTION_SOURCE_MAX + 1];
	memset(long_source, 'x', sizeof(long_source));
	attribution = parts;
	attribution.source = kh_view_of(long_source, sizeof(long_source));
	must_fail(t, KH_ELIMIT, kh_attribution_make(&t->arena, &attribution, KH_LIT("x"), &t->err));
	attribution = parts;
	attribution.operation = KH_LIT("search");
	must_fail(t, KH_EUNKNOWN, kh_attribution_make(&t->arena, &attribution, KH_LIT("x"), &t->err));
	attribution = parts;
	attribution.timestamp = -1;
	must_fail(t, KH_EINPUT, kh_attribution_make(&t->arena, &attribution, KH_LIT("x"), &t->err));
	attribution = parts;
	attribution.audit_id = KH_LIT("a b");
	must_fail(t, KH_EREFUSED, kh_attribution_make(&t->arena, &attribution, KH_LIT("x"), &t->err));
	attribution = parts;
	must_fail(t, KH_EINPUT, kh_attribution_make(&t->arena, &attribution, KH_LIT("x\xff"), &t->err));
	assert_int_equal(t->err.offset, 1);
}

static const struct kh_test_case cases[] = {KH_TEST(test_canonical), KH_TEST(test_format),  KH_TEST(test_missing),
					    KH_TEST(test_session),   KH_TEST(test_changed), KH_TEST(test_refused),
					    KH_TEST(test_put)};
KH_TEST_MAIN(cases)
