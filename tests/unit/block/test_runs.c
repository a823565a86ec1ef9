#include "core/block/runs.h"
#include "harness.h"

/* Which bytes of TEXT (squeezed, one stream) stand in SOURCE, as '#' and '.'. */
static void found(struct kh_test *t, const char *text, const char *source, const char *want)
{
	struct kh_view bytes = kh_view_of(text, strlen(text) + 1);
	struct kh_runs runs;
	char got[128];

	must(t, kh_runs_init(&runs, &t->arena, bytes));
	kh_runs_scan(&runs, kh_view_str(source));
	for (size_t i = 0; i < bytes.n - 1; i++)
		got[i] = runs.hits[i] ? '#' : '.';
	assert_view(kh_view_of(got, bytes.n - 1), want);
	kh_runs_clear(&runs);
	for (size_t i = 0; i < bytes.n; i++)
		assert_int_equal(runs.hits[i], 0);
}

/* K7: windows of ten letters and digits, whatever stands between them in the source. */
static void test_windows(struct kh_test *t)
{
	found(t, "xxabcdefghjkyy", "abcdefghjk", "..##########..");
	found(t, "xxabcdefghjkyy", "a b-c.d/e (f) g, h J K", "..##########..");
	found(t, "xxabcdefghjkyy", "abcdefghj", "..............");
	found(t, "abcdefghjkzabcdefghjk", "abcdefghjk", "##########.##########");
	found(t, "short", "short", ".....");
	found(t, "", "anything", "");
	found(t, "abcdefghjkmn", "xx4bcd3fghjkmn!", "############");
	/* Signs inside words are letters, too; at the end of a sentence they are none. */
	found(t, "passwordslate", "p@$$word slate", "#############");
	found(t, "passwordslate", "pass! word slate", "#############");
}

/* K7: a run is found wherever the chunks of a long source end. */
static void test_chunks(struct kh_test *t)
{
	enum { SIZE = 50000 };
	static const char text[] = "zebraquartzwaltz";
	char *source = kh_arena_alloc(&t->arena, SIZE);

	must(t, kh_arena_check(&t->arena));
	for (size_t at = 16384 - 20; at < 16384 + 20; at += 3) {
		struct kh_runs runs;
		for (size_t i = 0; i < SIZE; i++)
			source[i] = i % 3 ? 'm' : '!';
		memcpy(source + at, text, sizeof(text) - 1);
		must(t, kh_runs_init(&runs, &t->arena, kh_view_of(text, sizeof(text))));
		kh_runs_scan(&runs, kh_view_of(source, SIZE));
		for (size_t i = 0; i < sizeof(text) - 1; i++)
			assert_int_equal(runs.hits[i], 1);
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_windows), KH_TEST_ONCE(test_chunks)};
KH_TEST_MAIN(cases)
