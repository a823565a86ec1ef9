#include "reader/tokens.h"

#include "harness.h"

static struct kh_tokens cut(struct kh_test *t, const char *text)
{
	struct kh_tokens tokens = kh_tokens_cut(&t->arena, kh_view_str(text));

	must(t, kh_arena_check(&t->arena));
	return tokens;
}

/* Words, numbers and marks; what is glued; where lines and sentences end. */
static void test_cut_text(struct kh_test *t)
{
	struct kh_tokens tokens = cut(t, "Dr. Lee isn't 3rd. It\xe2\x80\x99s Ok!\nand on\nNew|x");
	static const struct {
		const char *text;
		enum kh_token_kind kind;
		uint32_t line, sentence;
		bool glued, capital;
	} want[] = {{"Dr", KH_TOKEN_WORD, 0, 0, false, true},   {".", KH_TOKEN_MARK, 0, 0, true, false},
		    {"Lee", KH_TOKEN_WORD, 0, 0, false, true},  {"isn't", KH_TOKEN_WORD, 0, 0, false, false},
		    {"3", KH_TOKEN_NUMBER, 0, 0, false, false}, {"rd", KH_TOKEN_WORD, 0, 0, true, false},
		    {".", KH_TOKEN_MARK, 0, 0, true, false},    {"It\xe2\x80\x99s", KH_TOKEN_WORD, 0, 1, false, true},
		    {"Ok", KH_TOKEN_WORD, 0, 1, false, true},   {"!", KH_TOKEN_MARK, 0, 1, true, false},
		    {"and", KH_TOKEN_WORD, 1, 2, false, false}, {"on", KH_TOKEN_WORD, 1, 2, false, false},
		    {"New", KH_TOKEN_WORD, 2, 3, false, true},  {"|", KH_TOKEN_MARK, 2, 3, true, false},
		    {"x", KH_TOKEN_WORD, 3, 4, true, false}};

	assert_int_equal(tokens.n, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < tokens.n; i++) {
		assert_view(kh_tokens_text(&tokens, i), want[i].text);
		assert_int_equal(tokens.at[i].kind, want[i].kind);
		assert_int_equal(tokens.at[i].line, want[i].line);
		assert_int_equal(tokens.at[i].sentence, want[i].sentence);
		assert_int_equal(tokens.at[i].glued, want[i].glued);
		assert_int_equal(tokens.at[i].capital, want[i].capital);
	}
	assert_true(tokens.at[3].negates);
	assert_false(tokens.at[2].negates);
}

static void test_signs(struct kh_test *t)
{
	assert_true(cut(t, "see http://x").link);
	assert_false(cut(t, "see http:/x").link);
	assert_true(cut(t, "what?").question);
	assert_false(cut(t, "what").question);
}

static void test_capitals(struct kh_test *t)
{
	struct kh_tokens tokens = cut(
		t, "\xc3\x85sa \xc5\x81ukasz \xc5\x82 \xc5\xbd \xc3\xa9t\xc3\xa9 \xd0\x90 \xd0\xb0 USA aB");
	static const bool want[] = {true, true, false, true, false, true, false, true, false};

	assert_int_equal(tokens.n, 9);
	for (size_t i = 0; i < tokens.n; i++)
		assert_int_equal(tokens.at[i].capital, want[i]);
	assert_true(tokens.at[7].shout);
	assert_false(tokens.at[8].shout);
}

/* Any bytes: every token lies in the text, behind the one before, and is not empty. */
static void test_any_bytes(struct kh_test *t)
{
	char text[512];
	uint32_t state = 7;

	for (unsigned round = 0; round < 200; round++) {
		for (size_t i = 0; i < sizeof(text); i++) {
			state = state * 1664525U + 1013904223U;
			text[i] = round % 2 ? (char)(state >> 24) : "\xe2\x80\x99'aZ9.\n|\xc2\xa0"[(state >> 24) % 12U];
		}
		struct kh_tokens tokens = kh_tokens_cut(&t->arena, kh_view_of(text, sizeof(text)));
		must(t, kh_arena_check(&t->arena));
		size_t end = 0;
		for (size_t i = 0; i < tokens.n; i++) {
			assert_true(tokens.at[i].at >= end && tokens.at[i].n > 0);
			end = tokens.at[i].at + tokens.at[i].n;
			assert_true(end <= sizeof(text));
		}
		kh_arena_clear(&t->arena);
	}
}

/* What stands behind the limit is not read. */
static void test_limit(struct kh_test *t)
{
	size_t n = KH_TOKENS_BYTES + 100;
	char *text = kh_arena_alloc(&t->arena, n);

	must(t, kh_arena_check(&t->arena));
	memset(text, 'a', n);
	struct kh_tokens tokens = kh_tokens_cut(&t->arena, kh_view_of(text, n));
	must(t, kh_arena_check(&t->arena));
	assert_int_equal(tokens.n, 1);
	assert_int_equal(tokens.at[0].n, KH_TOKENS_BYTES);
}

static void test_among(struct kh_test *t)
{
	struct kh_tokens tokens = cut(t, "Red, 5");

	assert_true(kh_tokens_among(&tokens, 0, KH_LIT("blue|red")));
	assert_false(kh_tokens_among(&tokens, 0, KH_LIT("re|reds")));
	assert_false(kh_tokens_among(&tokens, 2, KH_LIT("5")));
	assert_false(kh_tokens_among(&tokens, 9, KH_LIT("red")));
	assert_true(kh_tokens_mark(&tokens, 1, ','));
	assert_false(kh_tokens_mark(&tokens, 3, ','));
	assert_true(kh_tokens_word(&tokens, 0, KH_LIT("RED")));
	assert_view(kh_tokens_span(&tokens, 0, 2), "Red, 5");
}

static const struct kh_test_case cases[] = {KH_TEST(test_cut_text),       KH_TEST(test_signs), KH_TEST(test_capitals),
					    KH_TEST_ONCE(test_any_bytes), KH_TEST(test_limit), KH_TEST(test_among)};
KH_TEST_MAIN(cases)
