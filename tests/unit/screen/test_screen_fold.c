#include "core/screen/fold.h"
#include "harness.h"

static void folds(struct kh_test *t, const char *text, const char *folded, const char *squeezed)
{
	struct kh_folded f;
	char out[256];

	must(t, kh_fold_text(&t->arena, kh_view_str(text), true, &f));
	assert_view(f.text, folded);
	assert_int_equal(f.origin[f.text.n], strlen(text));
	for (size_t i = 1; i <= f.text.n; i++)
		assert_true(f.origin[i - 1] <= f.origin[i]);
	assert_true(kh_fold_room(f.text.n) <= sizeof(out));
	assert_view(kh_view_of(out, kh_fold_squeeze(kh_fold_plain, f.text.p, f.text.n, out)), squeezed);
}

/* S1, K7: accents, look-alikes, other writing of the same letters, what is invisible. */
static void test_folding(struct kh_test *t)
{
	folds(t, "Plain ASCII, kept.", "Plain ASCII, kept.", "plalnascllkept");
	folds(t, "d\u00e9j\u00e0 v\u00fb", "deja vu", "dejavu");
	folds(t, "e\u0301\u0302\u0303x", "ex", "ex");
	folds(t, "\uff21\uff22\uff43", "ABc", "abc");
	folds(t, "\U0001d400\U0001d41b", "Ab", "ab");
	folds(t, "\u24d0\u24d1", "ab", "ab");
	folds(t, "\u0430\u0435\u043e\u0440\u0441", "aeopc", "aeopc");
	folds(t, "a\u200bb\u2060c\u00add\ufeff", "abcd", "abcd");
	folds(t, "\ufb01n\u2460", "fin1", "flnl");
	folds(t, "\u0663\u0967", "31", "el");
	folds(t, "a\tb\nc\x01", "a b c", "abc");
	folds(t, "\u2024x\uff0ey", ".x.y", "xy");
	folds(t, "bad\xff\xc3", "bad", "bad");
	folds(t, "removed\x7f at any place\x7f", "removed at any place", "removedatanyplace");
	folds(t, "s3nd 1t", "s3nd 1t", "sendlt");
}

/* K7: a letter without ASCII is one byte, the same for both cases, composed or not. */
static void test_letters(struct kh_test *t)
{
	static const char *const same[][2] = {{"\u0416", "\u0436"},
					      {"\u6f22", "\u6f22"},
					      {"\uac01", "\u1100\u1161\u11a8"},
					      {"\u0939\u093f", "\u0939\u093f"}};

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct kh_folded a, b;
		must(t, kh_fold_text(&t->arena, kh_view_str(same[i][0]), false, &a));
		must(t, kh_fold_text(&t->arena, kh_view_str(same[i][1]), false, &b));
		assert_true(kh_view_eq(a.text, b.text));
		assert_true(a.text.n > 0);
	}
}

static void test_hidden(struct kh_test *t)
{
	struct kh_folded f;
	char out[4];

	must(t, kh_fold_text(&t->arena, KH_LIT("a\u200b\x01\xff\U000e0041b\ufe0f\U00045678"), false, &f));
	assert_int_equal(f.hidden, 4);
	assert_view(f.unseen, "\u200b\x01\U000e0041\ufe0f\U00045678");
	must(t, kh_fold_text(&t->arena, KH_LIT("a\u200b\U000e0041\ufe0f"), false, &f));
	assert_int_equal(f.hidden, 3);
	assert_view(f.text, "a");
	assert_int_equal(kh_fold_char(0xfc, out, sizeof(out)), 1);
	assert_int_equal(out[0], 'u');
	assert_int_equal(kh_fold_char(0xfb03, out, 2), 2);
}

static const struct kh_test_case cases[] = {KH_TEST(test_folding), KH_TEST(test_letters), KH_TEST(test_hidden)};
KH_TEST_MAIN(cases)
