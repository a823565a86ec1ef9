/* A5, P6: who waits costs no thread, and is stepped when there is something to see. */
#include "gateway/works.h"

#include "fixture.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#define SECOND INT64_C(1000000)

/* A work of the tests': waits as it is told, and counts. */
struct counted {
	struct kh_work work;
	int64_t wait;  /* microseconds, of every wait; 0: no time */
	int64_t chain; /* likewise */
	int waits;     /* so often, then it is done */
	atomic_int steps;
	atomic_bool done;
	pthread_t thread;
};

static enum kh_work_next count(struct kh_work *work)
{
	struct counted *c = (struct counted *)work;

	c->thread = pthread_self();
	if (atomic_fetch_add(&c->steps, 1) == c->waits || (c->waits < 0 && kh_works_is_stopping(work->works))) {
		atomic_store(&c->done, true);
		return KH_WORK_DONE;
	}
	work->wake_at = c->wait > 0 ? kh_works_now() + c->wait : 0;
	work->wake_chain = c->chain;
	return KH_WORK_WAIT;
}

static void rest(int64_t microseconds)
{
	nanosleep(&(struct timespec){.tv_sec = microseconds / SECOND, .tv_nsec = microseconds % SECOND * 1000}, NULL);
}

/* At most half a minute. */
static bool comes_true(bool (*is)(void *), void *arg)
{
	for (int64_t end = kh_works_now() + 30 * SECOND; kh_works_now() < end; rest(1000)) {
		if (is(arg))
			return true;
	}
	return false;
}

static bool is_done(void *arg)
{
	return atomic_load(&((struct counted *)arg)->done);
}

static bool is_parked(void *arg)
{
	return kh_works_figures(arg).parked > 0;
}

static struct kh_works *open_works(unsigned threads, struct kh_store *store)
{
	struct kh_works *works = NULL;
	struct kh_error err;

	assert_int_equal(kh_works_new(&(struct kh_works_settings){.threads = threads, .store = store}, &works, &err),
			 KH_OK);
	return works;
}

static void close_works(struct kh_works *works)
{
	assert_true(kh_works_stop(works, 30 * SECOND));
	kh_works_free(works);
}

static void test_works_by_time(struct kh_test *t)
{
	struct kh_works *works = open_works(2, NULL);
	struct counted many[200] = {0};

	(void)t;
	/* Times in no order, more works than threads. */
	for (int i = 0; i < 200; i++) {
		many[i] = (struct counted){.work.step = count, .wait = 1 + 7919 * i % 40000, .waits = 3};
		assert_true(kh_works_add(works, &many[i].work));
	}
	for (int i = 0; i < 200; i++) {
		assert_true(comes_true(is_done, &many[i]));
		assert_int_equal(many[i].steps, 4);
	}
	assert_true(kh_works_figures(works).threads <= 2);
	close_works(works);
}

static void test_works_wait_without_threads(struct kh_test *t)
{
	struct kh_works *works = open_works(4, NULL);
	static struct counted many[5000];

	(void)t;
	for (int i = 0; i < 5000; i++) {
		many[i] = (struct counted){.work.step = count, .waits = -1}; /* only a stop ends it */
		assert_true(kh_works_add(works, &many[i].work));
	}
	for (int64_t end = kh_works_now() + 30 * SECOND; kh_works_now() < end && kh_works_figures(works).parked < 5000;)
		rest(1000);
	assert_int_equal(kh_works_figures(works).parked, 5000);
	close_works(works);
	for (int i = 0; i < 5000; i++)
		assert_true(many[i].done && many[i].steps >= 2);
	struct counted late = {.work.step = count};
	works = open_works(1, NULL);
	assert_true(kh_works_stop(works, SECOND));
	assert_false(kh_works_add(works, &late.work)); /* one that stops takes nothing new */
	kh_works_free(works);
}

/* P2: a caller that is on a thread already runs the first step itself; the later ones are the pool's. */
static void test_works_here(struct kh_test *t)
{
	struct kh_works *works = open_works(2, NULL);
	struct counted once = {.work.step = count}, waits = {.work.step = count, .waits = 1}, woken = waits,
		       late = once;

	(void)t;
	assert_true(kh_works_begin(works, &once.work));
	assert_int_equal(once.steps, 0);
	kh_works_go(&once.work);
	assert_true(once.done && pthread_equal(once.thread, pthread_self()));

	assert_true(kh_works_begin(works, &waits.work));
	kh_works_go(&waits.work);
	assert_int_equal(waits.steps, 1);
	assert_int_equal(kh_works_figures(works).parked, 1);
	kh_works_wake(&waits.work);
	assert_true(comes_true(is_done, &waits));
	assert_false(pthread_equal(waits.thread, pthread_self()));

	assert_true(kh_works_begin(works, &woken.work));
	kh_works_wake(&woken.work); /* before its first step has ended: it is not lost */
	kh_works_go(&woken.work);
	assert_true(comes_true(is_done, &woken));
	assert_true(kh_works_stop(works, 30 * SECOND));
	assert_false(kh_works_begin(works, &late.work));
	kh_works_free(works);
}

static void test_works_wake(struct kh_test *t)
{
	struct kh_works *works = open_works(1, NULL);
	struct counted c = {.work.step = count, .waits = 1};

	(void)t;
	assert_true(kh_works_add(works, &c.work));
	assert_true(comes_true(is_parked, works));
	assert_int_equal(c.steps, 1);
	kh_works_wake(&c.work);
	assert_true(comes_true(is_done, &c));
	close_works(works);
}

/* Wakes itself while it runs: that must not be lost. */
static enum kh_work_next wake_itself(struct kh_work *work)
{
	struct counted *c = (struct counted *)work;

	if (atomic_fetch_add(&c->steps, 1) == 3) {
		atomic_store(&c->done, true);
		return KH_WORK_DONE;
	}
	kh_works_wake(work);
	return KH_WORK_WAIT;
}

static void test_works_woken_while_running(struct kh_test *t)
{
	struct kh_works *works = open_works(1, NULL);
	struct counted c = {.work.step = wake_itself};

	(void)t;
	assert_true(kh_works_add(works, &c.work));
	assert_true(comes_true(is_done, &c));
	close_works(works);
}

/* An event of a task wakes whoever waits for that task, whoever wrote it; others sleep on. */
static void test_works_by_chain(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller), other = kh_fixture_task(f, f->controller);
	struct kh_works *works = open_works(2, f->store);
	struct counted mine = {.work.step = count, .waits = -1, .chain = kh_fixture_task_row(f, task)->id};
	struct counted its = {.work.step = count, .waits = -1, .chain = kh_fixture_task_row(f, other)->id};
	struct counted any = {.work.step = count, .waits = -1, .chain = KH_WORK_ANY};

	assert_true(kh_works_add(works, &mine.work));
	assert_true(kh_works_add(works, &its.work));
	assert_true(kh_works_add(works, &any.work));
	rest(SECOND / 2); /* each looks again once, because it may have missed something */
	int before = its.steps, was = mine.steps, all = any.steps;
	kh_fixture_block(f, f->controller, task, "A mail.");
	for (int64_t end = kh_works_now() + 30 * SECOND;
	     kh_works_now() < end && (mine.steps == was || any.steps == all);)
		rest(1000);
	assert_true(mine.steps > was);
	assert_true(any.steps > all);
	assert_int_equal(its.steps, before);
	close_works(works);
}

/* Who records something for others tells so, and nobody has to wait for the record to be looked at. */
static void test_works_told_of_a_chain(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_works *works = open_works(2, f->store);
	struct counted mine = {.work.step = count, .waits = -1, .chain = 1001};
	struct counted its = {.work.step = count, .waits = -1, .chain = 1002};

	assert_true(kh_works_add(works, &mine.work));
	assert_true(kh_works_add(works, &its.work));
	rest(SECOND / 2); /* each looks again once, because it may have missed something */
	int before = its.steps, was = mine.steps;
	kh_works_wake_chain(works, 1001);
	for (int64_t end = kh_works_now() + 30 * SECOND; kh_works_now() < end && mine.steps == was;)
		rest(1000);
	assert_true(mine.steps > was);
	assert_int_equal(its.steps, before);
	close_works(works);
}

#define ADDERS 6
#define ROUNDS 3000

struct adder {
	struct kh_works *works;
	pthread_t thread;
	struct counted own[4];
};

/* Adds works one by one, or several at once; wakes some; and goes on when they are done, however soon. */
static void *add(void *arg)
{
	struct adder *a = arg;

	for (int i = 0; i < ROUNDS; i++) {
		int n = i % 4 + 1;
		for (int j = 0; j < n; j++) {
			a->own[j] = (struct counted){.work.step = j == 3 ? wake_itself : count};
			if (!kh_works_add(a->works, &a->own[j].work))
				return NULL;
		}
		for (int j = 0; j < n; j++) {
			for (int tries = 0; tries < 100 && !is_done(&a->own[j]); tries++)
				sched_yield();
			if (!comes_true(is_done, &a->own[j]))
				return NULL;
		}
	}
	return a;
}

/* Threads fall asleep and are woken all the time, by everybody: no work is left lying. */
static void test_works_lose_no_wake_up(struct kh_test *t)
{
	static struct adder adders[ADDERS];

	(void)t;
	for (unsigned threads = 1; threads <= 5; threads += 2) {
		struct kh_works *works = open_works(threads, NULL);
		void *result;

		for (int i = 0; i < ADDERS; i++) {
			adders[i].works = works;
			assert_int_equal(pthread_create(&adders[i].thread, NULL, add, &adders[i]), 0);
		}
		for (int i = 0; i < ADDERS; i++) {
			assert_int_equal(pthread_join(adders[i].thread, &result), 0);
			assert_ptr_equal(result, &adders[i]);
		}
		close_works(works);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_works_by_time),
	KH_TEST_ONCE(test_works_wait_without_threads),
	KH_TEST_ONCE(test_works_here),
	KH_TEST_ONCE(test_works_wake),
	KH_TEST_ONCE(test_works_woken_while_running),
	KH_TEST_ONCE(test_works_by_chain),
	KH_TEST_ONCE(test_works_told_of_a_chain),
	KH_TEST_ONCE(test_works_lose_no_wake_up),
};
KH_TEST_MAIN(cases)
