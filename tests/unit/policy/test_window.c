#include "core/policy/window.h"
#include "harness.h"

#define HOUR  INT64_C(3600000000)
#define START (480000 * HOUR)

static struct kh_window_sums used(const struct kh_window *w, int64_t now)
{
	return kh_window_used(w, now);
}

static void add(struct kh_window *w, int64_t now, uint64_t bits)
{
	kh_window_add(w, now, (struct kh_window_sums){.bits = bits});
}

/* G4: what was taken counts for 24 hours at least, and for less than 25. */
static void test_window_passes(struct kh_test *t)
{
	struct kh_window w = {0};

	(void)t;
	assert_int_equal(used(&w, START).bits, 0);
	kh_window_add(&w, START + HOUR / 2, (struct kh_window_sums){7, 1, 100});
	kh_window_add(&w, START + HOUR / 2 + 1, (struct kh_window_sums){3, 0, 50});
	assert_int_equal(used(&w, START + HOUR).bits, 10);
	assert_int_equal(used(&w, START + HOUR).escalations, 1);
	assert_int_equal(used(&w, START + HOUR).put, 150);
	assert_int_equal(used(&w, START + HOUR / 2 + 24 * HOUR).bits, 10);
	assert_int_equal(used(&w, START + 25 * HOUR - 1).bits, 10);
	assert_int_equal(used(&w, START + 25 * HOUR).bits, 0);
	add(&w, START + 24 * HOUR, 5);
	assert_int_equal(used(&w, START + 25 * HOUR - 1).bits, 15);
	assert_int_equal(used(&w, START + 25 * HOUR).bits, 5);
	assert_int_equal(used(&w, START + 1000 * HOUR).bits, 0);
}

/* If the clock goes back, nothing is forgotten. */
static void test_window_backwards(struct kh_test *t)
{
	struct kh_window w = {0};

	(void)t;
	add(&w, START + 10 * HOUR, 5);
	add(&w, START, 6);
	assert_int_equal(used(&w, START).bits, 11);
	assert_int_equal(used(&w, -1).bits, 11);
	assert_int_equal(used(&w, START + 34 * HOUR).bits, 11);
	assert_int_equal(w.n, 1);
}

#define STEPS 4000

/* Against the plain sum over what was taken since the beginning of the hour 24 hours ago; and it reads what it writes. */
static void test_window_sums(struct kh_test *t)
{
	static int64_t at[STEPS];
	static uint64_t bits[STEPS];
	struct kh_window w = {0};
	uint64_t seed = 1;
	int64_t now = START;
	char text[KH_WINDOW_TEXT], again[KH_WINDOW_TEXT];

	(void)t;
	for (size_t i = 0; i < STEPS; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
		now += (int64_t)(seed >> 33) % (i % 50 == 0 ? 40 * HOUR : HOUR / 3);
		at[i] = now;
		bits[i] = 1 + (seed >> 50) % 1000;
		kh_window_add(&w, now, (struct kh_window_sums){bits[i], i % 7 == 0, bits[i] * 3});
		struct kh_window_sums plain = {0};
		for (size_t j = 0; j <= i; j++) {
			if (at[j] / HOUR < now / HOUR - 24)
				continue;
			plain.bits += bits[j];
			plain.escalations += j % 7 == 0;
			plain.put += bits[j] * 3;
		}
		struct kh_window_sums is = used(&w, now);
		assert_memory_equal(&is, &plain, sizeof(is));
		size_t n = kh_window_write(&w, text);
		struct kh_window copy;
		assert_true(kh_window_read(kh_view_of(text, n), w.sums, &copy));
		assert_int_equal(kh_window_write(&copy, again), n);
		assert_memory_equal(text, again, n);
		assert_memory_equal(&copy, &w, sizeof(w));
	}
}

/* The largest window fits, and no sum is too large for a column. */
static void test_window_largest(struct kh_test *t)
{
	const uint64_t most = UINT64_C(1) << 53;
	struct kh_window w = {0}, copy;
	char text[KH_WINDOW_TEXT];

	(void)t;
	for (int i = 0; i < 60; i++)
		kh_window_add(&w, INT64_MAX - (60 - i) * HOUR,
			      (struct kh_window_sums){UINT64_MAX, most - 1, i > 0 ? most : 1});
	assert_int_equal(w.n, KH_WINDOW_HOURS + 1);
	size_t n = kh_window_write(&w, text);
	assert_true(n < KH_WINDOW_TEXT);
	assert_int_equal(w.sums.bits <= most && w.sums.escalations <= most && w.sums.put <= most, 1);
	assert_true(kh_window_read(kh_view_of(text, n), w.sums, &copy));
}

static void test_window_bad(struct kh_test *t)
{
	static const char *const bad[] = {"",
					  "1",
					  "1 0 0",
					  "1 0 0 0 0",
					  "1 0 0 x",
					  "1 0 0 -1",
					  "1 0 0 0;",
					  ";1 0 0 0",
					  "2 0 0 0;1 0 0 0",
					  "1 0 0 0;1 0 0 0",
					  "1 5 0 0;2 4 0 0",
					  "1 0 0 0;2 11 0 0",
					  "1 0 0 0;2 9007199254740993 0 0"};
	struct kh_window_sums sums = {10, 10, 10};
	struct kh_window w;

	(void)t;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(kh_window_read(kh_view_str(bad[i]), sums, &w));
	assert_true(kh_window_read(KH_LIT("1 0 0 0;5 10 10 10"), sums, &w));
	assert_true(kh_window_read(KH_LIT(""), (struct kh_window_sums){0}, &w));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_window_passes), KH_TEST_ONCE(test_window_backwards),
					    KH_TEST_ONCE(test_window_sums), KH_TEST_ONCE(test_window_largest),
					    KH_TEST_ONCE(test_window_bad)};
KH_TEST_MAIN(cases)
