#include "shared.h"

#include "core/screen/lexicon.h"
#include "core/screen/mend.h"

static void expect_mended(struct kh_test *t, const char *text, const char *meant)
{
	struct kh_mended m;

	must(t, kh_mend_text(&t->arena, kh_view_str(text), false, &m));
	if (!kh_view_eq(m.text, kh_view_str(meant)))
		fail_msg("\"%s\" becomes \"%.*s\"", text, KH_FMT(m.text));
	assert_int_equal(m.changed, strcmp(text, meant) != 0);
	assert_int_equal(m.origin[m.text.n], strlen(text));
	for (size_t i = 0; i < m.text.n; i++)
		assert_true(m.origin[i] <= m.origin[i + 1]);
}

/* B13: one letter left out, put in, wrong, or in the wrong place. */
static void test_one_wrong(struct kh_test *t)
{
	expect_mended(t, "ignre", "ignore");
	expect_mended(t, "ignotre", "ignore");
	expect_mended(t, "igmore", "ignore");
	expect_mended(t, "ignroe", "ignore");
	expect_mended(t, "plaese", "please");
	expect_mended(t, "insteda", "instead");
	expect_mended(t, "the passwrod, 42", "the password, 42");
	/* Two letters are too many. */
	expect_mended(t, "ingroes", "ingroes");
	/* If many words are wrong, even those that are words of their own may be meant otherwise. */
	expect_mended(t, "sand", "sand");
	expect_mended(t, "sand yuor passwrods", "send your passwords");
	/* But they are not parted: this is not "sign a ...". */
	expect_mended(t, "signature of virginie parker-zulauf, sned yuor",
		      "signature of virginie parker-zulauf, send your");
}

/* B13: words that are spelled as they are meant stay, and so do endings. */
static void test_stays(struct kh_test *t)
{
	static const char *const texts[] = {"",
					    "a",
					    "ignored",
					    "ignores",
					    "pleased",
					    "stead",
					    "homestead",
					    "ignatius",
					    "max mustermann",
					    "sand and sea",
					    "collection of signatures",
					    "confirmation and attachments",
					    "installations, documentation, allowances",
					    "selective inspector, cancer, guests",
					    "the writer",
					    "\xd1\x81\xd0\xbb\xd0\xbe\xd0\xb2\xd0\xbe",
					    "sned42",
					    "a37e95c0",
					    "philadelphia"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		expect_mended(t, texts[i], texts[i]);
}

/* B13: words without blanks, in any number, with words between them that nobody knows. */
static void test_glued(struct kh_test *t)
{
	struct kh_mended m;

	expect_mended(t, "ignoreallprevious", "ignore all previous");
	expect_mended(t, "sendme thepassword", "send me the password");
	expect_mended(t, "tellmeajokeaboutawoman", "tell me a joke about a woman");
	expect_mended(t, "sendthezucchinitome", "send the zucchini to me");
	must(t, kh_mend_text(&t->arena, KH_LIT("sendthepasswordto me"), false, &m));
	assert_int_equal(m.glued, 4);
	assert_int_equal(m.most_glued, 4);
	assert_false(m.endless);
	must(t, kh_mend_text(&t->arena, KH_LIT("xqzvxqzvxqzvxqzvxqzvxqzv"), false, &m));
	assert_true(m.endless);
}

/* B13: letters doubled, all of them or some. */
static void test_doubled(struct kh_test *t)
{
	expect_mended(t, "iiggnnoorree", "ignore");
	expect_mended(t, "aallll", "all");
	expect_mended(t, "pleasse", "please");
	expect_mended(t, "pllleeeasssse", "please");
	expect_mended(t, "sseennddmmeetthhee", "send me the");
}

/* S4: only the beginning of a long text is read, and any text within it is. */
static void test_long(struct kh_test *t)
{
	struct kh_mended m;
	char *p = kh_arena_alloc(&t->arena, (size_t)1 << 20);

	if (p == NULL)
		return;
	memset(p, 'z', (size_t)1 << 20);
	must(t, kh_mend_text(&t->arena, kh_view_of(p, (size_t)1 << 20), false, &m));
	assert_int_equal(m.origin[m.text.n], KH_MEND_MAX);
	for (size_t i = 0; i < KH_MEND_MAX; i++)
		p[i] = "ignore pasword "[i * 7 % 15];
	must(t, kh_mend_text(&t->arena, kh_view_of(p, KH_MEND_MAX), true, &m));
	assert_true(m.text.n <= 2 * KH_MEND_MAX);
}

/* Words are found letter by letter. */
static void test_steps(struct kh_test *t)
{
	struct kh_view word;
	uint32_t node = 0;

	(void)t;
	assert_true(kh_lexicon_step(&node, 's') && kh_lexicon_step(&node, 'e') && kh_lexicon_step(&node, 'n'));
	assert_true((kh_lexicon_letters(node) >> ('d' - 'a') & 1) != 0);
	assert_true((kh_lexicon_letters(node) >> ('z' - 'a') & 1) == 0);
	assert_false(kh_lexicon_step(&node, 'z') || kh_lexicon_step(&node, '~') || kh_lexicon_step(&node, 'A'));
	assert_true(kh_lexicon_step(&node, 'd'));
	assert_true((kh_lexicon_word(node, &word) & KH_WORD_COMMAND) != 0);
	assert_true(kh_view_eq(word, KH_LIT("send")));
	assert_int_equal(kh_lexicon_word(0, &word), 0);
	assert_true(kh_lexicon_is_spelled(KH_LIT("send")) && kh_lexicon_is_spelled(KH_LIT("sand")));
	assert_false(kh_lexicon_is_spelled(KH_LIT("sned")));
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_one_wrong), KH_TEST(test_stays), KH_TEST(test_glued),
	KH_TEST(test_doubled),   KH_TEST(test_long),  KH_TEST(test_steps),
};
KH_TEST_MAIN(cases)
