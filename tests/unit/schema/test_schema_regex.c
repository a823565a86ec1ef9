/* Patterns: what they match, which are refused, and that time is linear. */
#include "harness.h"

#include "core/schema/regex.h"

struct row {
	const char *pattern;
	const char *good[5], *bad[5];
};

static bool search(struct kh_test *t, const struct kh_regex *regex, struct kh_view text, uint64_t *steps)
{
	struct kh_regex_room room;
	bool is_found = false;

	must(t, kh_regex_room_init(&room, &t->arena, kh_regex_states(regex)));
	must(t, kh_regex_search(regex, &room, text, steps, &is_found));
	return is_found;
}

static void run_row(struct kh_test *t, const struct row *row)
{
	const struct kh_regex *regex = NULL;
	uint64_t steps = UINT64_MAX;

	must(t, kh_regex_new(&t->arena, kh_view_str(row->pattern), &regex, &t->err));
	for (size_t i = 0; i < 5 && row->good[i] != NULL; i++) {
		if (!search(t, regex, kh_view_str(row->good[i]), &steps))
			fail_msg("%s does not match \"%s\"", row->pattern, row->good[i]);
	}
	for (size_t i = 0; i < 5 && row->bad[i] != NULL; i++) {
		if (search(t, regex, kh_view_str(row->bad[i]), &steps))
			fail_msg("%s matches \"%s\"", row->pattern, row->bad[i]);
	}
}

static void run_rows(struct kh_test *t, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		run_row(t, &rows[i]);
}

#define RUN(t, rows) run_rows((t), (rows), sizeof(rows) / sizeof((rows)[0]))

static void test_matches(struct kh_test *t)
{
	static const struct row rows[] = {
		{"", {"", "a"}, {NULL}},
		{"a", {"a", "bab"}, {"", "b", "A"}},
		{"abc", {"abc", "xabcx"}, {"ab", "acb"}},
		{"^abc$", {"abc"}, {"xabc", "abcx", "abc\n"}},
		{"^$", {""}, {"a", "\n"}},
		{"a|b", {"a", "b", "xb"}, {"c", ""}},
		{"^(a|bc|)d$", {"ad", "bcd", "d"}, {"bd", "abcd"}},
		{"^a|b$", {"ax", "xb"}, {"xa", "bx"}},
		{"^a*$", {"", "aaa"}, {"b", "aab"}},
		{"^a+$", {"a", "aa"}, {"", "ab"}},
		{"^ab?c$", {"ac", "abc"}, {"abbc"}},
		{"^a{2}$", {"aa"}, {"a", "aaa"}},
		{"^a{2,}$", {"aa", "aaaa"}, {"a", ""}},
		{"^a{1,3}$", {"a", "aa", "aaa"}, {"", "aaaa"}},
		{"^a{0}$", {""}, {"a"}},
		{"^(ab){2}$", {"abab"}, {"ab", "ababab"}},
		{"^(a*)*$", {"", "aa"}, {"b"}},
		{"^(a|b*)*c$", {"c", "abbac"}, {"abba"}},
		{"^(?:a(?:b(?:c)?)?)?$", {"", "a", "ab", "abc"}, {"b", "ac"}},
		{"^a*?$", {"", "aa"}, {"b"}},
		{"^a+?b??$", {"a", "ab"}, {"b"}},
		{"^(?<name>a)$", {"a"}, {"b"}},
		{"^[abc]$", {"a", "c"}, {"d", "", "ab"}},
		{"^[^abc]$", {"d", "\n", "\xc3\xa9"}, {"a", ""}},
		{"^[a-cx-z]+$", {"abcxyz"}, {"d", "w"}},
		{"^[]$", {NULL}, {"", "a"}},
		{"^[^]$", {"a", "\n"}, {"", "ab"}},
		{"^[a\\]\\-\\\\]+$", {"a]-\\"}, {"["}},
		{"^[-a]+$", {"-a"}, {"b"}},
		{"^[a-]+$", {"-a"}, {"b"}},
		{"^[\\d.]+$", {"1.2"}, {"a"}},
		{"^[\\w-]+$", {"a-_9"}, {" ", "\xc3\xa9"}},
		{"^[\\b]$", {"\b"}, {"b"}},
		{"^[^\\s]+$", {"ab"}, {"a b", "a\xc2\xa0", "\xef\xbb\xbf"}},
		{"^\\d+$", {"0123456789"}, {"a", "\xd9\xa0"}},
		{"^\\D$", {"a", "\xc3\xa9"}, {"1"}},
		{"^\\w$", {"a", "_", "9"}, {"-", "\xc3\xa9"}},
		{"^\\W$", {"-", "\xc3\xa9"}, {"a"}},
		{"^\\s$", {" ", "\t", "\xe2\x80\xa8", "\xe3\x80\x80"}, {"a", "\xe2\x80\x8b"}},
		{"^\\S$", {"a"}, {" ", "\xc2\xa0"}},
		{"^.$", {"a", "\xf0\x9f\x98\x80"}, {"\n", "\r", "\xe2\x80\xa9", "ab"}},
		{"^\\t\\n\\v\\f\\r$", {"\t\n\v\f\r"}, {"tnvfr"}},
		{"^\\x41\\u0042\\u{43}$", {"ABC"}, {"abc"}},
		{"^\\ud83d\\ude00$", {"\xf0\x9f\x98\x80"}, {"\xf0\x9f\x98\x81"}},
		{"^[\\ud83d\\ude00-\\ud83d\\ude02]$", {"\xf0\x9f\x98\x81"}, {"\xf0\x9f\x98\x83"}},
		{"^\\cA$", {"\x01"}, {"A"}},
		{"^\\.\\*\\/\\-\\@$", {".*/-@"}, {"a*/-@"}},
		{"^\xc3\xa9+$", {"\xc3\xa9\xc3\xa9"}, {"e"}},
		{"\\bfoo\\b", {"foo", "a foo b", "foo."}, {"food", "afoo", "_foo"}},
		{"\\Boo\\b", {"foo"}, {"oo", "oof"}},
		{"^\\p{L}+$", {"ab\xc3\xa9", "\xe6\xbc\xa2"}, {"1", "-"}},
		{"^\\p{Lu}\\p{Lowercase_Letter}*$", {"Abc", "\xc3\x89t"}, {"abc", "ABC"}},
		{"^\\P{N}$", {"a"}, {"1", "\xd9\xa0"}},
		{"^[\\p{L}\\p{Nd}]+$", {"a1\xd9\xa0"}, {" "}},
		{"^\\p{gc=Sc}$", {"$", "\xe2\x82\xac"}, {"a"}},
	};
	RUN(t, rows);
}

/* Lookahead, which e-mail addresses and passwords in common libraries are written with. */
static void test_lookahead(struct kh_test *t)
{
	static const struct row rows[] = {
		{"^(?=.*\\d)(?=.*[a-z]).{4,}$", {"abc1", "1abc"}, {"abcd", "1234", "a1"}},
		{"^(?!foo)", {"bar", "", "fo"}, {"foo", "foobar"}},
		{"^(?!.*\\.\\.)[a-z.]+$", {"a.b", "."}, {"a..b", "..", "A"}},
		{"^(?!a(?!b))", {"ab", "b"}, {"ac", "a"}},
		{"a(?=b)", {"ab", "aab"}, {"a", "ac", "ba"}},
		{"a(?!b)", {"a", "ac", "aba"}, {"ab", "b"}},
		{"^(?:(?!ab).)*$", {"", "ba", "aacb"}, {"ab", "xaby"}},
		{"(?=a)b", {NULL}, {"a", "b", "ab"}},
		{"^(?=a|b)(?=b|c).$", {"b"}, {"a", "c"}},
		{"^(?=(?=a).b)", {"ab"}, {"bb", "aa"}},
		{"^(?!)", {NULL}, {"", "a"}},
		{"^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,"
		 "}$",
		 {"ada@example.com", "a.b+c@x.y.org"},
		 {".a@b.cc", "a..b@c.de", "a@b", "a@b.c", "@b.cc"}},
	};
	RUN(t, rows);
}

static void test_refused(struct kh_test *t)
{
	static const char *const rows[] = {
		"(",
		")",
		"a)",
		"(a",
		"[",
		"[a",
		"]",
		"{",
		"}",
		"a{",
		"a{x}",
		"a{2,1}",
		"a{,2}",
		"*",
		"+a",
		"?",
		"a**",
		"^*",
		"\\b+",
		"(?=a)*",
		"[b-a]",
		"[\\d-z]",
		"\\",
		"[\\",
		"\\1",
		"(a)\\1",
		"\\k<a>",
		"(?<=a)b",
		"(?<!a)",
		"(?i:a)",
		"(?<a",
		"(?<>a)",
		"(?>a)",
		"(?P<a>)",
		"\\x4",
		"\\u12",
		"\\u{}",
		"\\u{110000}",
		"\\q",
		"\\p{Foo}",
		"\\p{Script=Greek}",
		"\\pL",
		"\\p",
		"\\c1",
		"\\00",
		"a{1001}",
		"\\_",
		"[\\q]",
		"\\\xc3\xa9",
		"((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))",
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct kh_regex *regex;
		enum kh_err e = kh_regex_new(&t->arena, kh_view_str(rows[i]), &regex, &t->err);
		if (e == KH_OK)
			fail_msg("%s is taken", rows[i]);
		must_fail(t, KH_EREFUSED, e);
		assert_string_equal(t->err.code, "schema_pattern");
		assert_true(t->err.detail[0] != '\0');
	}
}

static void test_limits(struct kh_test *t)
{
	static const char *const rows[] = {"(a{1000}){1000}", "((((a{9}){9}){9}){9}){9}", "[a-z]{1000}{0}x{1000}",
					   "(a{1000}){5}"};
	const struct kh_regex *regex = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (i != 2)
			must_fail(t, KH_ELIMIT, kh_regex_new(&t->arena, kh_view_str(rows[i]), &regex, &t->err));
	}
	must_fail(t, KH_EREFUSED, kh_regex_new(&t->arena, kh_view_str(rows[2]), &regex, &t->err));
}

/* The cost of patterns that backtracking takes for ever with grows as the text does. */
static void test_linear(struct kh_test *t)
{
	static const char *const rows[] = {
		"(a+)+$",    "(a|aa)+$",       "(a|a?)+$",      "^(([a-z])+.)+[A-Z]([a-z])+$",
		"(.*a){20}", "^(?!(a+)+b).*$", "(?=(a*)*b)a*c", "(a*)*(a*)*(a*)*b"};
	enum { SHORT = 2000, LONG = 20000 };
	char *text = kh_arena_alloc(&t->arena, LONG);

	must(t, kh_arena_check(&t->arena));
	memset(text, 'a', LONG);
	text[LONG - 1] = text[SHORT - 1] = '!';
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct kh_regex *regex = NULL;
		uint64_t first = UINT64_MAX, second = UINT64_MAX;
		must(t, kh_regex_new(&t->arena, kh_view_str(rows[i]), &regex, &t->err));
		(void)search(t, regex, kh_view_of(text, SHORT), &first);
		(void)search(t, regex, kh_view_of(text, LONG), &second);
		assert_true(UINT64_MAX - second <= (UINT64_MAX - first) * 11);
		assert_true(UINT64_MAX - second <= (uint64_t)LONG * (kh_regex_states(regex) + 2));
	}
}

/* A search ends when its steps are used up. */
static void test_steps(struct kh_test *t)
{
	const struct kh_regex *regex = NULL;
	struct kh_regex_room room;
	uint64_t steps = 20;
	bool is_found;

	must(t, kh_regex_new(&t->arena, KH_LIT("b"), &regex, &t->err));
	must(t, kh_regex_room_init(&room, &t->arena, kh_regex_states(regex)));
	must_fail(t, KH_ELIMIT,
		  kh_regex_search(regex, &room, KH_LIT("aaaaaaaaaaaaaaaaaaaaaaaaaaaa"), &steps, &is_found));
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_matches), KH_TEST(test_lookahead), KH_TEST(test_refused),
	KH_TEST(test_limits),  KH_TEST(test_linear),    KH_TEST(test_steps),
};
KH_TEST_MAIN(cases)
