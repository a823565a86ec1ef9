#include "core/block/allowed.h"
#include "harness.h"

/* K7: words of the user's and pieces of answers are marked where eight characters in a row are the same. */
static void test_marks(struct kh_test *t)
{
	struct kh_view text = KH_LIT("ask Alexandra about the quarterly");
	struct kh_view own = KH_LIT("the QUARTERLY report"), answer = KH_LIT("alex andra");
	struct kh_compare what = {
		.texts = &text, .text_count = 1, .own = &own, .own_count = 1, .answers = &answer, .answer_count = 1};
	struct kh_streams streams;
	struct kh_allowed allowed = {0};
	char got[64];

	must(t, kh_stream_make(&t->arena, &what, &streams));
	must(t, kh_allowed_make(&allowed, &t->arena, &what, &streams));
	for (size_t i = 0; i < streams.at[0].n; i++)
		got[i] = "-ao"[allowed.marks[streams.at[0].at + i]];
	assert_view(kh_view_of(got, streams.at[0].n), "---aaaaaaaaa-----oooooooooooo");
}

/* K7: hosts, addresses and numbers that the user named. */
static void test_tokens(struct kh_test *t)
{
	struct kh_view own = KH_LIT("see https://www.Example.org/x, mail bob@example.net or call 0170 123456");
	struct kh_compare what = {.own = &own, .own_count = 1};
	struct kh_allowed allowed = {0};
	static const struct {
		enum kh_match_kind kind;
		struct kh_view key;
		bool yes;
	} all[] = {
		{KH_MATCH_HOST, KH_LIT_INIT("example.org"), true},
		{KH_MATCH_HOST, KH_LIT_INIT("evil.org"), false},
		{KH_MATCH_ADDRESS, KH_LIT_INIT("bob@example.net"), true},
		{KH_MATCH_NUMBER, KH_LIT_INIT("0170123456"), true},
		{KH_MATCH_NUMBER, KH_LIT_INIT("999999"), false},
		{KH_MATCH_URL, KH_LIT_INIT("example.org"), false},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		bool yes;
		must(t, kh_allowed_anchor(&allowed, &t->arena, &what, all[i].kind, all[i].key, &yes));
		assert_int_equal(yes, all[i].yes);
	}
}

static void test_grammar(struct kh_test *t)
{
	(void)t;
	assert_true(kh_allowed_grammar(KH_LIT("the")));
	assert_true(kh_allowed_grammar(KH_LIT("wlth"))); /* squeezed */
	assert_false(kh_allowed_grammar(KH_LIT("money")));
	assert_false(kh_allowed_grammar(KH_LIT("")));
	assert_false(kh_allowed_grammar(KH_LIT("averyveryverylongword")));
}

static const struct kh_test_case cases[] = {KH_TEST(test_marks), KH_TEST(test_tokens), KH_TEST(test_grammar)};
KH_TEST_MAIN(cases)
