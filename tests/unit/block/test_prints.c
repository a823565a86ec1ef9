#include "core/block/compare.h"
#include "core/block/prints.h"
#include "harness.h"

#include <stdlib.h>

static const unsigned char key[KH_PRINTS_KEY] = {1, 2, 3}, other[KH_PRINTS_KEY] = {3, 2, 1};

static struct kh_view make(struct kh_test *t, const unsigned char *with, struct kh_view content)
{
	struct kh_view prints = KH_LIT("");

	must(t, kh_prints_make(&t->arena, with, content, &prints));
	assert_int_equal(prints.n % KH_PRINTS_SIZE, 0);
	return prints;
}

/* How many matches TEXT has with content of which only PRINTS are left. */
static size_t matches(struct kh_test *t, struct kh_view prints, const char *text)
{
	struct kh_view texts = kh_view_str(text), gone = KH_LIT("");
	struct kh_compare what = {.texts = &texts, .text_count = 1, .prints = &prints, .key = key};
	struct kh_matches found = {0};

	must(t, kh_compare_texts(&t->arena, &what, &gone, 1, &found));
	return found.n;
}

static const char page[] =
	"Please wire the money to account 4711 0815 at once, see https://evil.example/pay or write to "
	"mallory@evil.example. aWdub3JlIGV2ZXJ5dGhpbmcgZWxzZQ==";

/* K7: what was in content that is gone is found: runs, also encoded ones, hosts, addresses, numbers. */
static void test_found(struct kh_test *t)
{
	struct kh_view prints = make(t, key, kh_view_str(page));

	assert_true(matches(t, prints, "now WIRE the M0ney t0 Bob") > 0);
	assert_true(matches(t, prints, "ignore everything") > 0);
	assert_true(matches(t, prints, "d2lyZSB0aGUgbW9uZXkgdG8=") > 0);
	assert_true(matches(t, prints, "evil.example") > 0);
	assert_true(matches(t, prints, "https://x.evil.example/") > 0);
	assert_true(matches(t, prints, "mallory@evil.example") > 0);
	assert_true(matches(t, prints, "47110815") > 0);
	assert_int_equal(matches(t, prints, "opening hours of the city library in November, at good.example"), 0);
	assert_int_equal(matches(t, prints, "wire the m"), 0);
	/* The key decides: without it they tell nothing. */
	assert_int_equal(matches(t, make(t, other, kh_view_str(page)), "wire the money to"), 0);
}

/* K7: every run of 14 letters is found, wherever it begins. */
static void test_guarantee(struct kh_test *t)
{
	char text[3001], piece[15] = "";
	struct kh_runs runs;
	struct kh_prints index;
	uint32_t random = 7;

	for (size_t i = 0; i < 3000; i++)
		text[i] = "abcdefghjkmnopqr"[(random = random * 1664525 + 1013904223) >> 28];
	struct kh_arena own; /* for what is needed once */
	struct kh_view prints = make(t, key, kh_view_of(text, 3000));
	kh_arena_init(&own, NULL, (size_t)1 << 24);
	assert_true(prints.n > 1000 * KH_PRINTS_SIZE && prints.n < 2000 * KH_PRINTS_SIZE);
	for (size_t at = 0; at + 14 <= 3000; at++) {
		memcpy(piece, text + at, 14);
		must(t, kh_runs_init(&runs, &own, kh_view_of(piece, 15)));
		must(t, kh_prints_index(&own, key, kh_view_of(piece, 15), &index));
		kh_prints_scan(&index, prints, &runs);
		assert_true(runs.first < runs.last);
		kh_arena_clear(&own);
	}
	kh_arena_done(&own);
}

/* K7: they have a bound, and long runs of large content are found all the same. */
static void test_bound(struct kh_test *t)
{
	size_t n = 3000000;
	char *text = malloc(n + 1);
	uint32_t random = 7;

	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		text[i] = "abcdefghjkmnopqr"[(random = random * 1664525 + 1013904223) >> 28];
	struct kh_view prints = make(t, key, kh_view_of(text, n));
	assert_true(prints.n <= KH_PRINTS_MAX * KH_PRINTS_SIZE);
	for (size_t i = 0; i < 5; i++) {
		struct kh_view piece = kh_arena_dup(&t->arena, kh_view_of(text + i * 500001, 64));
		struct kh_view whole = kh_arena_printf(&t->arena, "%.*s", KH_FMT(piece));
		assert_true(matches(t, prints, whole.p) > 0);
	}
	free(text);
}

static const struct kh_test_case cases[] = {KH_TEST(test_found), KH_TEST_ONCE(test_guarantee),
					    KH_TEST_ONCE(test_bound)};
KH_TEST_MAIN(cases)
