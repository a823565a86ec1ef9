#include "base/utf8.h"
#include "core/screen/normalise.h"
#include "harness.h"

typedef enum kh_err view_fn(struct kh_arena *arena, struct kh_view text, struct kh_view *ret);

static enum kh_err text_fn(struct kh_arena *arena, struct kh_view text, struct kh_view *ret)
{
	struct kh_normalised n;
	enum kh_err e = kh_normalise_text(arena, text, &n);

	if (e == KH_OK)
		*ret = n.text;
	return e;
}

static void expect(struct kh_test *t, view_fn *fn, const char *in, const char *out)
{
	struct kh_view v;

	must(t, fn(&t->arena, kh_view_str(in), &v));
	assert_view(v, out);
}

/* D1: no character's normal form is longer than what is said without normalising it, and ordinary text's is said to be short. */
static void test_most(struct kh_test *t)
{
	for (uint32_t c = 1; c < 0x110000; c++) {
		char in[4];
		struct kh_normalised n;
		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		struct kh_view text = kh_view_of(in, kh_utf8_encode(c, in)), form;
		uint32_t *origin;
		kh_arena_clear(&t->arena);
		must(t, kh_normalise_text(&t->arena, text, &n));
		must(t, kh_normalise_form(&t->arena, text, 0, &form, &origin));
		if (n.text.n > kh_normalise_most(text) || form.n > kh_normalise_most(text))
			fail_msg("U+%04X has %zu and %zu bytes, more than %zu", c, n.text.n, form.n,
				 kh_normalise_most(text));
	}
	assert_int_equal(kh_normalise_most(KH_LIT("John Smith")), 10);
	assert_int_equal(kh_normalise_most(KH_LIT("\xef\xb7\xba")), 33);
	assert_true(kh_normalise_most(KH_LIT("J\xc3\xbcrgen \xd0\x98\xd0\xb2\xd0\xb0\xd0\xbd")) <= 3 * 17);
}

/* B17: white space, compatibility forms, invisible characters. */
static void test_text(struct kh_test *t)
{
	expect(t, text_fn, "", "");
	expect(t, text_fn, " \t\r\n ", "");
	expect(t, text_fn, "  John\t\n Smith ", "John Smith");
	expect(t, text_fn, "John\xc2\xa0Smith", "John Smith");
	expect(t, text_fn,
	       "a\xe2\x80\xa8"
	       "b\xe3\x80\x80\xe2\x80\x83"
	       "c",
	       "a b c");
	expect(t, text_fn, "\xef\xbc\xa1\xef\xbd\x82\xef\xac\x81", "Abfi");
	expect(t, text_fn, "e\xcc\x81", "\xc3\xa9");
	expect(t, text_fn, "a\xcc\xa7\xcc\x81", "\xc3\xa1\xcc\xa7");
	expect(t, text_fn, "a\xcc\x81\xcc\xa7", "\xc3\xa1\xcc\xa7"); /* marks in Unicode's order */
	expect(t, text_fn, "q\xcc\x87\xcc\xa3 ", "q\xcc\xa3\xcc\x87");
	expect(t, text_fn, "Nguy\xe1\xbb\x85n V\xc4\x83n A", "Nguy\xe1\xbb\x85n V\xc4\x83n A");
	expect(t, text_fn, "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", "\xed\x95\x9c");
	expect(t, text_fn,
	       "a\x01\x7f"
	       "b",
	       "ab");
	expect(t, text_fn, "\xe3\x85\xa4x\xef\xbe\xa0", "x"); /* fillers that NFKC turns into other fillers */
	expect(t, text_fn, "x \xc2\xa8", "x \xcc\x88");
}

static void test_counts(struct kh_test *t)
{
	struct kh_normalised n;

	must(t, kh_normalise_text(&t->arena,
				  KH_LIT("a\xe2\x80\x8b\xc2\xad\xef\xbb\xbf"
					 "b\xe2\x80\xae\xf3\xa0\x81\x81"),
				  &n));
	assert_view(n.text, "ab");
	assert_int_equal(n.soft, 3);
	assert_int_equal(n.hidden, 2);
	assert_false(n.marks_cut);
	must(t, kh_normalise_text(&t->arena, KH_LIT("a\x02z"), &n));
	assert_int_equal(n.hidden, 1);
	must_fail(t, KH_EINPUT, kh_normalise_text(&t->arena, KH_LIT("a\xff"), &n));
}

/* S4: marks past the thirtieth are cut, so that a megabyte of them is linear; the run that is left is sorted. */
static void test_marks(struct kh_test *t)
{
	struct kh_normalised n;
	size_t size = 1 << 20;
	char *p = kh_arena_alloc(&t->arena, size);

	must(t, kh_arena_check(&t->arena));
	for (size_t i = 0; i < size; i += 2)
		memcpy(p + i, i % 4 ? "\xcc\xa3" : "\xcc\x87", 2);
	must(t, kh_normalise_text(&t->arena, kh_view_of(p, size), &n));
	assert_true(n.marks_cut);
	assert_int_equal(kh_utf8_length(n.text), KH_NORMALISE_MARKS);
	for (size_t i = 0; i < 2U * KH_NORMALISE_MARKS; i += 2)
		assert_memory_equal(n.text.p + i, i < KH_NORMALISE_MARKS ? "\xcc\xa3" : "\xcc\x87", 2);
	must(t, kh_normalise_text(&t->arena, kh_view_of(p, 2U * KH_NORMALISE_MARKS), &n));
	assert_false(n.marks_cut);
}

/* B17: applying a form twice gives the same as once: every character alone, between letters and after a mark. */
static void idempotent(struct kh_test *t, view_fn *fn, uint32_t last)
{
	static const char *const frames[][2] = {{"", ""}, {"a", "b"}, {" e\xcc\x81", " \xcc\x81"}};

	for (uint32_t c = 1; c <= last; c++) {
		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		for (size_t i = 0; i < 3; i++) {
			char p[16];
			size_t n = strlen(frames[i][0]), m = strlen(frames[i][1]);
			struct kh_view once, twice;
			memcpy(p, frames[i][0], n);
			n += kh_utf8_encode(c, p + n);
			memcpy(p + n, frames[i][1], m);
			kh_arena_clear(&t->arena);
			must(t, fn(&t->arena, kh_view_of(p, n + m), &once));
			must(t, fn(&t->arena, once, &twice));
			if (!kh_view_eq(once, twice))
				fail_msg("U+%04X in frame %zu is not stable", (unsigned)c, i);
			for (size_t at = 0; at < once.n;) {
				uint32_t d;
				size_t len = kh_utf8_decode(once, at, &d);
				assert_true(len > 0 && !kh_utf8_is_invisible(d) && (d == ' ' || !kh_utf8_is_space(d)));
				at += len;
			}
		}
	}
}

static void test_text_stable(struct kh_test *t)
{
	idempotent(t, text_fn, 0x10ffff);
}

static void test_lower_stable(struct kh_test *t)
{
	idempotent(t, kh_normalise_lower, 0x1ffff);
}

static void test_key_stable(struct kh_test *t)
{
	idempotent(t, kh_normalise_key, 0x1ffff);
}

static void test_skeleton_stable(struct kh_test *t)
{
	idempotent(t, kh_normalise_skeleton, 0x1ffff);
}

static void test_lower_and_key(struct kh_test *t)
{
	expect(t, kh_normalise_lower, " John  SMITH ", "john smith");
	expect(t, kh_normalise_lower,
	       "\xc3\x84PFEL Stra\xc3\x9f"
	       "e",
	       "\xc3\xa4pfel stra\xc3\x9f"
	       "e");
	expect(t, kh_normalise_lower, "J\xcc\x8c", "\xc7\xb0"); /* composes only in lower case */
	expect(t, kh_normalise_lower, "\xc8\xba", "\xe2\xb1\xa5");
	expect(t, kh_normalise_key, "STRASSE", "strasse");
	expect(t, kh_normalise_key,
	       "Stra\xc3\x9f"
	       "e",
	       "strasse");
	expect(t, kh_normalise_key,
	       "\xef\xbc\xb9"
	       "es ",
	       "yes");
	expect(t, kh_normalise_key, "\xce\xa3\xcf\x82", "\xcf\x83\xcf\x83");
}

/* S1: confusables folded, accents gone, and each byte knows where it came from. */
static void test_skeleton(struct kh_test *t)
{
	struct kh_view v;
	uint32_t *origin;

	expect(t, kh_normalise_skeleton,
	       "\xd0\x86gn\xd0\xbe"
	       "r\xd0\xb5",
	       "ignore");
	expect(t, kh_normalise_skeleton, "\xef\xbc\xa9\xef\xbd\x87\xef\xbd\x8e\xc3\xb3r\xc4\x93", "ignore");
	expect(t, kh_normalise_skeleton, "\xce\x97\xce\x95LLO", "hello");
	expect(t, kh_normalise_skeleton, "\xf0\x9d\x94\xa6\xf0\x9d\x93\xb0\xf0\x9f\x85\x9dore", "ignore");
	expect(t, kh_normalise_skeleton, "\xc5\x81ukasz \xe2\x80\x9cX\xe2\x80\x9d", "lukasz \"x\"");
	expect(t, kh_normalise_skeleton,
	       "s\xe2\x80\x8b"
	       "e\xc2\xadnd",
	       "send");
	must(t, kh_normalise_form(&t->arena,
				  KH_LIT(" \xd0\xb0\xe2\x80\x8b"
					 "b  \xef\xac\x81"),
				  KH_NORMALISE_FOLD | KH_NORMALISE_LOOKALIKE, &v, &origin));
	assert_view(v, "ab fi");
	static const uint32_t want[] = {1, 6, 7, 9, 9, 12};
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(origin[i], want[i]);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_most),        KH_TEST(test_text),
	KH_TEST(test_counts),           KH_TEST(test_marks),
	KH_TEST_ONCE(test_text_stable), KH_TEST_ONCE(test_lower_stable),
	KH_TEST_ONCE(test_key_stable),  KH_TEST_ONCE(test_skeleton_stable),
	KH_TEST(test_lower_and_key),    KH_TEST(test_skeleton),
};
KH_TEST_MAIN(cases)
