#include "opened.h"

#include "store/sqlite/holder.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

/* A child that opens the store, says its number, and stays. */
static pid_t start_child(struct opened *o, int64_t *ret_number)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct kh_store *store;
		struct kh_error err;
		int64_t number = -1;
		if (kh_store_open(&kh_sqlite_backend, o->path, KH_STORE_EXISTING, &store, &err) == KH_OK)
			number = kh_store_holder(store);
		(void)!write(ends[1], &number, sizeof(number));
		for (;;)
			pause();
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], ret_number, sizeof(*ret_number)), sizeof(*ret_number));
	close(ends[0]);
	return pid;
}

static void end_child(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

/* D4, E7: a process that was killed is known to be dead at once, by the kernel; its number never comes again. */
static void test_killed(struct kh_test *t)
{
	struct opened o;
	int64_t first, second, third;

	(void)t;
	opened_new(&o);
	first = kh_store_holder(o.store);
	kh_store_close(o.store); /* no threads are left when the child is made */
	o.store = NULL;
	assert_int_equal(first, 1);
	pid_t pid = start_child(&o, &second);
	assert_int_equal(second, 2);
	opened_open(&o, KH_STORE_EXISTING);
	third = kh_store_holder(o.store);
	assert_int_equal(third, 3);
	assert_false(kh_store_holder_alive(o.store, first));
	assert_true(kh_store_holder_alive(o.store, second));
	assert_true(kh_store_holder_alive(o.store, third));
	assert_false(kh_store_holder_alive(o.store, 4));
	assert_false(kh_store_holder_alive(o.store, 0));
	end_child(pid);
	assert_false(kh_store_holder_alive(o.store, second));
	kh_store_close(o.store);
	opened_open(&o, KH_STORE_EXISTING);
	assert_int_equal(kh_store_holder(o.store), 4);
	assert_false(kh_store_holder_alive(o.store, third));
	opened_remove(&o);
}

/* Two stores of one process see each other; closing one leaves the other alive. */
static void test_one_process(struct kh_test *t)
{
	struct kh_store *other = NULL, *reading = NULL;
	struct opened o;

	(void)t;
	opened_new(&o);
	must_store(&o, kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_EXISTING, &other, &o.err));
	must_store(&o, kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_READ, &reading, &o.err));
	assert_int_equal(kh_store_holder(reading), 0);
	assert_true(kh_store_holder_alive(o.store, kh_store_holder(other)));
	assert_true(kh_store_holder_alive(other, kh_store_holder(o.store)));
	assert_true(kh_store_holder_alive(reading, kh_store_holder(o.store)));
	kh_store_close(other);
	assert_false(kh_store_holder_alive(o.store, 2));
	assert_true(kh_store_holder_alive(reading, 1));
	kh_store_close(reading);
	opened_remove(&o);
}

/* Many that open at once all get numbers of their own. */
static void test_race(struct kh_test *t)
{
	enum { CHILDREN = 8 };
	int64_t numbers[CHILDREN];
	pid_t pids[CHILDREN];
	int ends[2];
	uint64_t seen = 0;
	struct opened o;

	(void)t;
	opened_new(&o);
	kh_store_close(o.store);
	o.store = NULL;
	assert_int_equal(pipe(ends), 0);
	for (size_t i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			struct kh_store *store;
			struct kh_error err;
			for (int k = 0; k < 3; k++) {
				if (kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_EXISTING, &store, &err) != KH_OK)
					_exit(1);
				int64_t number = kh_store_holder(store);
				if (write(ends[1], &number, sizeof(number)) != sizeof(number))
					_exit(1);
				kh_store_close(store);
			}
			_exit(0);
		}
	}
	for (size_t i = 0; i < CHILDREN; i++) {
		int status;
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(read(ends[0], numbers, sizeof(numbers)), sizeof(numbers));
		for (size_t k = 0; k < CHILDREN; k++) {
			assert_true(numbers[k] >= 2 && numbers[k] <= 25);
			assert_false(seen >> numbers[k] & 1);
			seen |= UINT64_C(1) << numbers[k];
		}
	}
	close(ends[0]);
	close(ends[1]);
	opened_remove(&o);
}

/* The turnstile lets one pass, and gives up in time. */
static void test_turnstile(struct kh_test *t)
{
	struct kh_holder a, b;
	struct opened o;

	(void)t;
	opened_folder(&o);
	must_store(&o, kh_holder_open(&a, o.path, true, &o.err));
	must_store(&o, kh_holder_open(&b, o.path, true, &o.err));
	assert_true(kh_holder_enter(&a, 1000));
	assert_false(kh_holder_enter(&b, 20));
	kh_holder_leave(&a);
	assert_true(kh_holder_enter(&b, 20));
	kh_holder_close(&b); /* as one who died there */
	assert_true(kh_holder_enter(&a, 20));
	kh_holder_close(&a);
	opened_remove(&o);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_killed),
	KH_TEST_ONCE(test_one_process),
	KH_TEST_ONCE(test_race),
	KH_TEST_ONCE(test_turnstile),
};
KH_TEST_MAIN(cases)
