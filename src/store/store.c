/*
 * The store's front: passes calls on to the backend, and waits for operations.
 *
 * A waiting caller sleeps on a latch of its own, which the store's thread sets.  So waiting callers share no lock,
 * however many they are.
 */
#include "store/store.h"

#include "base/latch.h"
#include "store/backend.h"

struct waiter {
	struct kh_store_job job; /* first */
	struct kh_latch done;
};

static void wake(struct kh_store_job *job)
{
	kh_latch_set(&((struct waiter *)job)->done);
}

enum kh_err kh_store_open(const struct kh_backend *backend, const char *location, enum kh_store_mode mode,
			  struct kh_store **ret_store, struct kh_error *err)
{
	return backend->open(location, mode, ret_store, err);
}

void kh_store_close(struct kh_store *store)
{
	if (store != NULL)
		store->backend->close(store);
}

void kh_store_submit(struct kh_store *store, struct kh_store_job *job)
{
	store->backend->submit(store, job);
}

enum kh_err kh_store_run(struct kh_store *store, kh_store_fn *fn, void *arg, struct kh_error *err)
{
	struct waiter w = {.job = {.fn = fn, .arg = arg, .done = wake}};

	kh_store_submit(store, &w.job);
	kh_latch_wait(&w.done);
	if (w.job.result != KH_OK && err != NULL)
		*err = w.job.err;
	return w.job.result;
}

enum kh_err kh_store_read(struct kh_store *store, kh_store_fn *fn, void *arg, struct kh_error *err)
{
	struct kh_error own = {.err = KH_OK, .offset = SIZE_MAX};

	return store->backend->run_reading(store, fn, arg, KH_READING_SNAPSHOT, err != NULL ? err : &own);
}

enum kh_err kh_store_read_soon(struct kh_store *store, kh_store_fn *fn, void *arg)
{
	struct kh_error own = {.err = KH_OK, .offset = SIZE_MAX};

	return store->backend->run_reading(store, fn, arg, KH_READING_SOON, &own);
}

enum kh_err kh_store_read_kept(struct kh_store *store, kh_store_fn *fn, void *arg)
{
	struct kh_error own = {.err = KH_OK, .offset = SIZE_MAX};

	return store->backend->run_reading(store, fn, arg, KH_READING_KEPT, &own);
}

void kh_store_keep_room(struct kh_store *store)
{
	store->backend->keep_room(store);
}

int64_t kh_store_holder(const struct kh_store *store)
{
	return store->holder;
}

bool kh_store_holder_alive(struct kh_store *store, int64_t holder)
{
	return store->backend->holder_alive(store, holder);
}

struct kh_store_figures kh_store_figures(struct kh_store *store)
{
	const struct kh_store_figures *f = &store->figures;

	return (struct kh_store_figures){
		.operations = __atomic_load_n(&f->operations, __ATOMIC_RELAXED),
		.commits = __atomic_load_n(&f->commits, __ATOMIC_RELAXED),
		.events = __atomic_load_n(&f->events, __ATOMIC_RELAXED),
		.largest = __atomic_load_n(&f->largest, __ATOMIC_RELAXED),
		.checkpoints = __atomic_load_n(&f->checkpoints, __ATOMIC_RELAXED),
		.witness_lines = __atomic_load_n(&f->witness_lines, __ATOMIC_RELAXED),
		.witness_failures = __atomic_load_n(&f->witness_failures, __ATOMIC_RELAXED),
		.witness_broken = __atomic_load_n(&f->witness_broken, __ATOMIC_RELAXED),
	};
}

void kh_store_count(struct kh_store *store, const struct kh_store_figures *more)
{
	struct kh_store_figures *f = &store->figures;

	__atomic_fetch_add(&f->checkpoints, more->checkpoints, __ATOMIC_RELAXED);
	__atomic_fetch_add(&f->witness_lines, more->witness_lines, __ATOMIC_RELAXED);
	__atomic_fetch_add(&f->witness_failures, more->witness_failures, __ATOMIC_RELAXED);
	__atomic_store_n(&f->witness_broken, more->witness_broken, __ATOMIC_RELAXED);
}

static enum kh_err do_nothing(struct kh_txn *txn, void *arg)
{
	(void)txn;
	(void)arg;
	return KH_OK;
}

enum kh_err kh_store_keep_heads(struct kh_store *store, struct kh_heads *heads, struct kh_error *err)
{
	__atomic_store_n(&store->heads, heads, __ATOMIC_RELEASE);
	/* The operation runs in a group that began after this, so all groups before it have ended when it returns. */
	return kh_store_run(store, do_nothing, NULL, err);
}
