/* I3: no more ask at once than may, and everybody's turn comes. */
#include "harness.h"

#include "reader/turns.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define THREADS 8
#define ROUNDS  50
#define LIMIT   3

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Without a limit, and with one that is used up. */
static void test_limit(struct kh_test *t)
{
	struct kh_turns *turns = kh_turns_new(&t->alloc, 2);

	must(t, turns != NULL ? KH_OK : KH_ENOMEM);
	assert_true(kh_turns_take(NULL, 0));
	kh_turns_give(NULL);
	kh_turns_free(NULL);
	assert_true(kh_turns_take(turns, 0)); /* whoever comes late and need not wait gets one */
	assert_true(kh_turns_take(turns, now_ms() + 60000));
	int64_t begun = now_ms();
	assert_false(kh_turns_take(turns, begun - 1000));
	assert_false(kh_turns_take(turns, begun + 30));
	assert_true(now_ms() >= begun + 30);
	kh_turns_give(turns);
	assert_true(kh_turns_take(turns, now_ms()));
	kh_turns_give(turns);
	kh_turns_give(turns);
	kh_turns_free(turns);
}

struct crowd {
	struct kh_turns *turns;
	atomic_int inside, most, done;
};

static void *come_and_go(void *arg)
{
	struct crowd *crowd = arg;

	for (int i = 0; i < ROUNDS; i++) {
		if (!kh_turns_take(crowd->turns, now_ms() + 60000))
			break;
		int inside = atomic_fetch_add(&crowd->inside, 1) + 1, most = atomic_load(&crowd->most);
		while (inside > most && !atomic_compare_exchange_weak(&crowd->most, &most, inside))
			;
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
		atomic_fetch_sub(&crowd->inside, 1);
		atomic_fetch_add(&crowd->done, 1);
		kh_turns_give(crowd->turns);
	}
	return NULL;
}

static void test_crowd(struct kh_test *t)
{
	struct crowd crowd = {.turns = kh_turns_new(&t->alloc, LIMIT)};
	pthread_t threads[THREADS];

	assert_non_null(crowd.turns);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &crowd), 0);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(atomic_load(&crowd.done), THREADS * ROUNDS);
	assert_true(atomic_load(&crowd.most) <= LIMIT);
	kh_turns_free(crowd.turns);
}

static const struct kh_test_case cases[] = {KH_TEST(test_limit), KH_TEST_ONCE(test_crowd)};
KH_TEST_MAIN(cases)
