/* Canonical JSON as it goes (L3): what is written is its own canonical form. */
#include "base/emit.h"

#include "harness.h"

static void begin(struct kh_test *t, struct kh_buf *buf, struct kh_emit *emit)
{
	kh_buf_init(buf, &t->arena, 1 << 16);
	kh_emit_init(emit, buf);
}

static void test_all_kinds_of_values(struct kh_test *t)
{
	struct kh_digest digest = {{0xab, 1}};
	struct kh_view text, canonical;
	struct kh_emit emit;
	yyjson_val *root;

	kh_emit_begin(&emit, &t->arena, 1 << 16);
	kh_emit_object(&emit);
	kh_emit_add_int(&emit, "a", -(INT64_C(1) << 53));
	kh_emit_key(&emit, "b");
	kh_emit_array(&emit);
	kh_emit_null(&emit);
	kh_emit_object(&emit);
	kh_emit_end(&emit);
	kh_emit_text(&emit, KH_LIT("\"\\\b\t\n\f\r\x01\x1f/\x7f\xc3\xa9\xe2\x80\xa8"));
	kh_emit_end(&emit);
	kh_emit_add_digest(&emit, "c", &digest);
	kh_emit_add_raw(&emit, "d", KH_LIT("{\"x\":1}"));
	kh_emit_add_bool(&emit, "e", true);
	kh_emit_add_word(&emit, "f", "word");
	kh_emit_end(&emit);
	must(t, kh_emit_finish(&emit, &text));
	must(t, kh_json_read(&t->arena, text, &root, &t->err));
	must(t, kh_canonical_json(&t->arena, root, &canonical, &t->err));
	assert_true(kh_view_eq(text, canonical));
}

static void test_members_out_of_order_fail(struct kh_test *t)
{
	static const char *const second[] = {"a", "b"};

	for (size_t i = 0; i < 2; i++) {
		struct kh_emit emit;
		struct kh_buf buf;
		struct kh_view text;
		begin(t, &buf, &emit);
		kh_emit_object(&emit);
		kh_emit_key(&emit, "b");
		kh_emit_int(&emit, 1);
		kh_emit_key(&emit, second[i]);
		kh_emit_int(&emit, 2);
		kh_emit_end(&emit);
		must_fail(t, KH_EREFUSED, kh_buf_end(&buf, &text));
	}
}

static void test_what_no_reader_agrees_on_fails(struct kh_test *t)
{
	struct kh_emit emit;
	struct kh_buf buf;
	struct kh_view text;

	begin(t, &buf, &emit);
	kh_emit_int(&emit, (INT64_C(1) << 53) + 1);
	must_fail(t, KH_EREFUSED, kh_buf_end(&buf, &text));
}

static void test_depth_and_ends_are_bounded(struct kh_test *t)
{
	struct kh_emit emit;
	struct kh_buf buf;
	struct kh_view text;

	begin(t, &buf, &emit);
	for (int i = 0; i <= KH_EMIT_DEPTH; i++)
		kh_emit_array(&emit);
	must_fail(t, KH_EREFUSED, kh_buf_end(&buf, &text));
	begin(t, &buf, &emit);
	kh_emit_end(&emit);
	must_fail(t, KH_EREFUSED, kh_buf_end(&buf, &text));
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_all_kinds_of_values),
	KH_TEST(test_members_out_of_order_fail),
	KH_TEST(test_what_no_reader_agrees_on_fails),
	KH_TEST(test_depth_and_ends_are_bounded),
};
KH_TEST_MAIN(cases)
