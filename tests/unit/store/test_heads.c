/* L3: the heads since the last checkpoint, as the store's thread tells of them. */
#include "harness.h"

#include "base/clock.h"
#include "store/heads.h"

#include <pthread.h>

static struct kh_heads_event event(int64_t id, int64_t chain, int64_t n)
{
	struct kh_heads_event e = {.id = id, .chain = chain, .n = n};

	e.hash.bytes[0] = (unsigned char)id;
	return e;
}

/* What was committed since COVERED comes out, once, and only if all of it is known. */
static void test_take(struct kh_test *t)
{
	const struct kh_heads_event some[] = {event(11, 0, 5), event(12, 3, 1), event(13, 3, 2)};
	const struct kh_heads_event more = event(14, 0, 6), far = event(20, 4, 1), next = event(21, 4, 2);
	struct kh_heads *heads;
	struct kh_chains chains;
	int64_t last = 0;

	must(t, kh_heads_new(t->arena.alloc, &heads));
	kh_heads_cover(heads, 10);
	kh_heads_committed(heads, some, 3);
	bool known = kh_heads_take(heads, 10, &chains, &last);
	if (known) { /* not if memory failed: then it is to be read */
		assert_int_equal(last, 13);
		kh_chains_sort(&chains);
		assert_int_equal(chains.n, 2);
		assert_int_equal(chains.at[0].number, 0);
		assert_int_equal(chains.at[1].chain.n, 2);
		assert_int_equal(chains.at[1].chain.last, 13);
		assert_int_equal(chains.at[1].chain.head.bytes[0], 13);
	}
	kh_chains_done(&chains);
	kh_heads_cover(heads, 13);
	assert_false(kh_heads_take(heads, 13, &chains, &last)); /* nothing is new */
	kh_chains_done(&chains);
	kh_heads_committed(heads, &more, 1);
	if (kh_heads_take(heads, 13, &chains, &last)) {
		assert_int_equal(chains.n, 1);
		assert_int_equal(last, 14);
	}
	kh_chains_done(&chains);
	kh_heads_cover(heads, 14);
	/* Another process wrote 15 to 19. */
	kh_heads_committed(heads, &far, 1);
	assert_false(kh_heads_take(heads, 14, &chains, &last));
	assert_int_equal(chains.n, 0);
	kh_chains_done(&chains);
	kh_heads_cover(heads, 20);
	kh_heads_committed(heads, &next, 1);
	kh_heads_committed(heads, NULL, 1); /* one that could not be remembered */
	assert_false(kh_heads_take(heads, 20, &chains, &last));
	kh_chains_done(&chains);
	kh_heads_forget(heads);
	assert_false(kh_heads_take(heads, 21, &chains, &last));
	kh_chains_done(&chains);
	kh_heads_free(heads);
	kh_heads_free(NULL);
}

static void *commit(void *arg)
{
	const struct kh_heads_event some[] = {event(1, 0, 1), event(2, 0, 2)};

	kh_heads_committed(arg, some, 2);
	return NULL;
}

static void *stop(void *arg)
{
	kh_heads_stop(arg);
	return NULL;
}

/* Whoever waits is woken by the commit that reaches the number, by the clock, and by the end. */
static void test_wait(struct kh_test *t)
{
	const int64_t minute = INT64_C(60000000);
	struct kh_heads *heads;
	pthread_t thread;

	must(t, kh_heads_new(t->arena.alloc, &heads));
	kh_heads_cover(heads, 0);
	assert_int_equal(kh_heads_wait(heads, 2, kh_clock_us()), 0);
	assert_int_equal(pthread_create(&thread, NULL, commit, heads), 0);
	assert_int_equal(kh_heads_wait(heads, 2, kh_clock_us() + minute), 2);
	pthread_join(thread, NULL);
	assert_false(kh_heads_is_stopped(heads));
	assert_int_equal(pthread_create(&thread, NULL, stop, heads), 0);
	assert_int_equal(kh_heads_wait(heads, 3, kh_clock_us() + minute), 2);
	pthread_join(thread, NULL);
	assert_true(kh_heads_is_stopped(heads));
	kh_heads_free(heads);
}

static const struct kh_test_case cases[] = {KH_TEST(test_take), KH_TEST_ONCE(test_wait)};
KH_TEST_MAIN(cases)
