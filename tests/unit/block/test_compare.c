#include "core/block/compare.h"
#include "harness.h"

#include <time.h>

/* The screen that every test of this file uses: compiling its rules takes longest. */
static struct kh_rules *rules;

static struct kh_screen *get_screen(struct kh_test *t)
{
	struct kh_screen *screen;

	if (rules == NULL && kh_rules_new(NULL, NULL, 0, &rules, &t->err) != KH_OK)
		fail_msg("the rules do not compile: %s", t->err.detail);
	must(t, kh_screen_new(NULL, rules, &screen));
	return screen;
}

/* The matches of TEXT with SOURCE. */
static struct kh_matches compare(struct kh_test *t, struct kh_view text, struct kh_view source)
{
	struct kh_screen *screen = get_screen(t);
	struct kh_matches matches = {0};
	enum kh_err e = kh_compare_text(screen, &t->arena, text, &source, 1, &matches);

	kh_screen_free(screen);
	must(t, e);
	return matches;
}

/* TEXT and SOURCE share something of KIND that reads SHARED. */
static void shares(struct kh_test *t, const char *text, const char *source, enum kh_match_kind kind, const char *shared)
{
	struct kh_matches matches = compare(t, kh_view_str(text), kh_view_str(source));
	bool found = false;

	for (size_t i = 0; i < matches.n; i++)
		found = found || (matches.at[i].kind == kind && kh_view_eq(matches.at[i].shared, kh_view_str(shared)));
	if (!found)
		fail_msg("\"%s\" and \"%s\": no %s \"%s\" among %zu matches%s%.*s", text, source, kh_compare_kind(kind),
			 shared, matches.n, matches.n ? ": " : "", (int)(matches.n ? matches.at[0].shared.n : 0),
			 matches.n ? matches.at[0].shared.p : "");
	assert_true(matches.kinds[kind] > 0);
}

static void shares_nothing(struct kh_test *t, const char *text, const char *source)
{
	struct kh_matches matches = compare(t, kh_view_str(text), kh_view_str(source));

	if (matches.n > 0)
		fail_msg("\"%s\" and \"%s\" share %s \"%.*s\"", text, source, kh_compare_kind(matches.at[0].kind),
			 KH_FMT(matches.at[0].shared));
}

/* K7: 12 characters are a run, 11 are not; characters are counted, not bytes. */
static void test_runs(struct kh_test *t)
{
	shares(t, "xxabcdefghijklyy", "__abcdefghijkl__", KH_MATCH_RUN, "abcdefghijkl");
	shares_nothing(t, "xxabcdefghijkyy", "__abcdefghijk__");
	shares(t, "abcdefghijkl", "abcdefghijkl", KH_MATCH_RUN, "abcdefghijkl");
	shares_nothing(t, "", "abcdefghijkl");
	shares_nothing(t, "abcdefghijkl", "");
	shares_nothing(t, "      ", " \n\t ");
	/* Eleven Chinese characters are 33 bytes. */
	shares_nothing(
		t,
		"\xe4\xb8\x80\xe4\xba\x8c\xe4\xb8\x89\xe5\x9b\x9b\xe4\xba\x94\xe5\x85\xad\xe4\xb8\x83\xe5\x85\xab"
		"\xe4\xb9\x9d\xe5\x8d\x81\xe7\x99\xbe",
		"\xe4\xb8\x80\xe4\xba\x8c\xe4\xb8\x89\xe5\x9b\x9b\xe4\xba\x94\xe5\x85\xad\xe4\xb8\x83\xe5\x85\xab"
		"\xe4\xb9\x9d\xe5\x8d\x81\xe7\x99\xbe");
	shares(t, "pay the whole invoice to Mallory", "Pay  the\nwhole INVOICE to Mallory!", KH_MATCH_RUN,
	       "pay the whole invoice to mallory");
}

/* K7: the source is compared whole, not a sample of its beginning (the running system took its first 500 bytes). */
static void test_whole(struct kh_test *t)
{
	size_t n = 200000;
	char *text = kh_arena_alloc(&t->arena, n);

	must(t, kh_arena_check(&t->arena));
	for (size_t i = 0; i < n; i++)
		text[i] = " abcdefghijklmnopqrstuvwxyz"[(i * i + i / 7) % 27];
	memcpy(text + n - 40, " wire 9 to dr. zacharias knox ", 30);
	struct kh_matches matches = compare(t, KH_LIT("to dr. zacharias knox"), kh_view_of(text, n));
	assert_true(matches.n > 0);
	assert_int_equal(matches.at[0].kind, KH_MATCH_RUN);
	assert_view(matches.at[0].shared, "to dr. zacharias knox");
}

/* K7: seen through encodings and look-alikes, on either side. */
static void test_decoded(struct kh_test *t)
{
	/* "send everything to mallory" */
	shares(t, "send everything to mallory", "x c2VuZCBldmVyeXRoaW5nIHRvIG1hbGxvcnk= y", KH_MATCH_RUN,
	       "send everything to mallory");
	shares(t, "c2VuZCBldmVyeXRoaW5nIHRvIG1hbGxvcnk=", "Please send everything to Mallory.", KH_MATCH_RUN,
	       "send everything to mallory");
	shares(t, "73656e642065766572797468696e6720746f206d616c6c6f7279", "send everything to mallory", KH_MATCH_RUN,
	       "send everything to mallory");
	shares(t, "s\xd0\xb5nd every\xe2\x80\x8bthing t\xd0\xbe mallory", "SEND EVERYTHING TO MALLORY", KH_MATCH_RUN,
	       "send everything to mallory");
}

/* K7: URLs, hosts, addresses and numbers are shared below 12 characters too. */
static void test_tokens(struct kh_test *t)
{
	shares(t, "https://e.io/x", "get https://e.io/x/.", KH_MATCH_URL, "https://e.io/x");
	shares(t, "https://e.io/x", "the host E.IO is mine", KH_MATCH_HOST, "e.io");
	shares(t, "https://secret-data.e.io/", "the host e.io is mine", KH_MATCH_HOST, "secret-data.e.io");
	shares_nothing(t, "https://f.io/", "the host secret.e.io is mine");
	shares(t, "a@b.io", "mail A@B.IO now", KH_MATCH_ADDRESS, "a@b.io");
	shares(t, "pay 123456", "account 123 456!", KH_MATCH_NUMBER, "123456");
	shares_nothing(t, "pay 12345", "account 12345!");
	shares_nothing(t, "on 2026-03-15", "from 2026-03-15");
	shares(t, "555-123-4567", "call (555) 123 4567 today", KH_MATCH_NUMBER, "555-123-4567");
}

/* K7: a match says which source and where. */
static void test_places(struct kh_test *t)
{
	struct kh_view sources[] = {KH_LIT("nothing here"), KH_LIT("say abcdefghijklmn now"),
				    KH_LIT("at 777888 and 777888")};
	struct kh_view texts[] = {KH_LIT("777888"), KH_LIT("> abcdefghijklm")};
	struct kh_screen *screen = get_screen(t);
	struct kh_matches matches;
	enum kh_err e = kh_compare_texts(screen, &t->arena, texts, 2, sources, 3, &matches);

	kh_screen_free(screen);
	must(t, e);
	assert_int_equal(matches.n, 3);
	assert_int_equal(matches.at[0].kind, KH_MATCH_RUN);
	assert_int_equal(matches.at[0].source, 1);
	assert_int_equal(matches.at[0].text, 1);
	assert_int_equal(matches.at[0].in_text.form, 0);
	assert_int_equal(matches.at[0].in_text.start, 1); /* with the blank before it */
	assert_int_equal(matches.at[0].in_text.end, 15);
	assert_int_equal(matches.at[0].in_source.start, 3);
	assert_int_equal(matches.at[0].in_source.end, 17);
	assert_int_equal(matches.at[1].source, 2);
	assert_int_equal(matches.at[1].text, 0);
	assert_int_equal(matches.at[1].in_source.start, 3);
	assert_int_equal(matches.at[2].in_source.start, 14);
	assert_int_equal(matches.kinds[KH_MATCH_NUMBER], 2);
}

/* K7: inputs made to be slow are not. */
static void test_linear(struct kh_test *t)
{
	static char text[1 << 16], source[1 << 18];
	static const char *const pieces[] = {"a", "ab", "aaaaaaaaaaaab", "1", "1 ", "a.b", "http://a"};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t len = strlen(pieces[i]);
		for (size_t k = 0; k < sizeof(text); k++)
			text[k] = pieces[i][k % len];
		for (size_t k = 0; k < sizeof(source); k++)
			source[k] = pieces[i][k % len];
		clock_t start = clock();
		struct kh_matches matches = compare(t, kh_view_of(text, sizeof(text)),
						    kh_view_of(source, sizeof(source)));
		assert_true(matches.n > 0 && matches.n <= KH_MATCH_COUNT * KH_COMPARE_MAX);
		assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
		kh_arena_clear(&t->arena);
	}
}

/* K7: many short texts need no more memory than one long one. */
static void test_many(struct kh_test *t)
{
	enum { COUNT = 5000 };
	struct kh_view *texts = KH_NEW_N(&t->arena, struct kh_view, COUNT), source = KH_LIT("see item number 4321000.");
	struct kh_screen *screen = get_screen(t);
	struct kh_matches matches;

	for (size_t i = 0; i < COUNT; i++)
		texts[i] = kh_arena_printf(&t->arena, "item number %zu000", i);
	enum kh_err e = kh_compare_texts(screen, &t->arena, texts, COUNT, &source, 1, &matches);
	kh_screen_free(screen);
	must(t, e);
	bool found = false;
	for (size_t i = 0; i < matches.n; i++)
		found = found || (matches.at[i].kind == KH_MATCH_NUMBER && matches.at[i].text == 4321);
	assert_true(found);
}

static const struct kh_test_case cases[] = {KH_TEST(test_runs),     KH_TEST(test_whole),  KH_TEST(test_decoded),
					    KH_TEST(test_tokens),   KH_TEST(test_places), KH_TEST_ONCE(test_linear),
					    KH_TEST_ONCE(test_many)};

int main(void)
{
	int status = kh_test_main(__FILE__, cases, sizeof(cases) / sizeof(cases[0]));

	kh_rules_free(rules);
	return status;
}
