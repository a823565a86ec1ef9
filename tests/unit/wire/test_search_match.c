/* E9: a query is words and phrases, whatever stands in it. */
#include "harness.h"

#include "wire/search_match.h"

#include <stdio.h>

static const char *written(struct kh_test *t, struct kh_view query, bool any)
{
	struct kh_search_match match;
	struct kh_view text;

	must(t, kh_search_match_read(&t->arena, query, &match));
	must(t, kh_search_match_write(&t->arena, &match, any, &text));
	text = kh_arena_printf(&t->arena, "%.*s", KH_FMT(text));
	must(t, kh_arena_check(&t->arena));
	return text.p;
}

#define assert_all(t, query, text) assert_string_equal(written((t), KH_LIT(query), false), (text))

static void test_words(struct kh_test *t)
{
	assert_all(t, "annual report", "\"annual\" \"report\"");
	assert_all(t, "  annual\t\nreport ", "\"annual\" \"report\"");
	assert_string_equal(written(t, KH_LIT("annual report"), true), "\"annual\" OR \"report\"");
	assert_all(t, "report REPORT Report", "\"report\"");
	assert_all(t, "caf\xc3\xa9\xc2\xa0\xe6\x97\xa5\xe6\x9c\xac", "\"caf\xc3\xa9\" \"\xe6\x97\xa5\xe6\x9c\xac\"");
}

static void test_phrases(struct kh_test *t)
{
	assert_all(t, "\"annual report\" 2025", "\"annual report\" \"2025\"");
	assert_all(t, "a\"b c\"d", "\"a\" \"b c\" \"d\"");
	assert_all(t, "\"annual report", "\"annual\" \"report\"");
	assert_all(t, "\"\" \" \" x", "\"x\"");
}

/* Operators, columns and the like are words like any other. */
static void test_operators(struct kh_test *t)
{
	assert_all(t, "a OR b", "\"a\" \"OR\" \"b\"");
	assert_all(t, "NOT a AND NEAR(b c, 2)", "\"NOT\" \"a\" \"AND\" \"NEAR(b\" \"c,\" \"2)\"");
	assert_all(t, "title:x {title body}:y ^z w* -v", "\"title:x\" \"{title\" \"body}:y\" \"^z\" \"w*\" \"-v\"");
	assert_all(t, "a'; DROP TABLE docs; --", "\"a';\" \"DROP\" \"TABLE\" \"docs;\"");
	assert_string_equal(written(t,
				    kh_view_of("a\0b\x01"
					       "c",
					       5),
				    false),
			    "\"a\" \"b\" \"c\"");
	assert_string_equal(written(t,
				    kh_view_of("a\xff"
					       "b",
					       3),
				    false),
			    "\"a\" \"b\"");
}

static void test_nothing(struct kh_test *t)
{
	assert_all(t, "", "");
	assert_all(t, "*** -- \"!!\" ()", "");
}

/* Ten thousand words, and words without end, are cut to what is bounded. */
static void test_bounds(struct kh_test *t)
{
	struct kh_search_match match;
	char text[65536];
	size_t n = 0;

	for (unsigned i = 0; i < 10000; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "w%u ", i);
	must(t, kh_search_match_read(&t->arena, kh_view_of(text, n), &match));
	assert_int_equal(match.count, KH_SEARCH_MATCH_TERMS);
	assert_int_equal(match.left_out, 10000 - KH_SEARCH_MATCH_TERMS);
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 2 == 0 ? '\xc3' : '\xa9';
	must(t, kh_search_match_read(&t->arena, kh_view_of(text, sizeof(text)), &match));
	assert_int_equal(match.count, 1);
	assert_int_equal(match.term[0].n, KH_SEARCH_MATCH_BYTES);
	must(t, kh_search_match_read(&t->arena, kh_view_of(text + 1, sizeof(text) - 1), &match));
	assert_int_equal(match.term[0].n, KH_SEARCH_MATCH_BYTES);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_words),   KH_TEST(test_phrases),     KH_TEST(test_operators),
	KH_TEST(test_nothing), KH_TEST_ONCE(test_bounds),
};

KH_TEST_MAIN(cases)
