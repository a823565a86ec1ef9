/*
 * Group commit.
 *
 * How far a failure reaches: an operation that fails is rolled back to its savepoint, and the others go on.  If the
 * database itself fails (no room, no memory, busy), the whole group fails with that error, nothing of it is kept, and
 * the next group is tried as usual; if there was no room, the reserve is released for it.  If a read, a write or a sync fails, or the file is damaged, the store stops for
 * good, because the kernel may have discarded what it could not write and would not report it a second time.
 */
#include "store/sqlite/group.h"

#include "base/alloc.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#define CHECKPOINT_PAGES 4000 /* pages in the log before they are copied into the database: 16 MiB */
#define FEW_PAGES        64   /* that the store's thread copies itself */
#define ROUNDS           8    /* copies on the other thread until the store's thread copies what is left */

static void count(uint64_t *figure, uint64_t n)
{
	__atomic_fetch_add(figure, n, __ATOMIC_RELAXED);
}

static void fail_job(struct kh_store_job *job, enum kh_err e, const struct kh_error *err)
{
	job->result = e;
	job->err = *err;
}

/* The database returned RC while a group was running.  Fills *ERR. */
static enum kh_err give_up(struct kh_group *g, int rc, struct kh_error *err)
{
	enum kh_err e = kh_connection_fail(g->c, rc, err);

	kh_cache_clear(g->c->cache);
	if (kh_connection_told(rc) == SQLITE_FULL)
		kh_reserve_release(&g->reserve); /* for those who try again */
	if (kh_connection_is_fatal(rc)) {
		g->failed = true;
		g->reason = *err;
	}
	if (!sqlite3_get_autocommit(g->c->db)) {
		rc = kh_connection_step(g->c, KH_CONNECTION_ROLLBACK);
		if (rc != SQLITE_OK && !sqlite3_get_autocommit(g->c->db)) {
			g->failed = true;
			(void)kh_connection_fail(g->c, rc, &g->reason);
		}
	}
	return e;
}

/* The row cache is emptied if another connection has committed since. */
static int check_cache(struct kh_group *g)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *stmt = kh_connection_text(g->c, KH_CONNECTION_VERSION, &rc);

	if (stmt == NULL)
		return rc;
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		kh_cache_check(g->c->cache, sqlite3_column_int64(stmt, 0));
	sqlite3_reset(stmt);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static int begin(struct kh_group *g)
{
	if (!kh_holder_enter(g->holder, g->c->patience))
		return SQLITE_BUSY;
	int rc = kh_connection_step(g->c, KH_CONNECTION_BEGIN);
	kh_holder_leave(g->holder);
	return rc == SQLITE_OK ? check_cache(g) : rc;
}

/* The jobs of a group: those that wait to be run, and those that were run, in order. */
struct queue {
	struct kh_store_job *next;
	struct kh_store_job *ran, **end;
};

/* Takes the next job out, to be put behind those that were run. */
static struct kh_store_job *take_next(struct queue *q)
{
	struct kh_store_job *job = q->next;

	q->next = job->next;
	job->next = NULL;
	return job;
}

static void put_ran(struct queue *q, struct kh_store_job *job)
{
	*q->end = job;
	q->end = &job->next;
}

static void tell(struct kh_group *g, struct kh_store_job *job)
{
	count(&g->store->figures.operations, 1);
	job->done(job); /* the job may be freed by this */
}

/*
 * Runs the jobs until one breaks the transaction or none is left.  A job that is to be run again has kept nothing, so it
 * need not wait for the commit.
 */
static int run_jobs(struct kh_group *g, struct kh_savepoint_grown *grown, struct queue *q, uint64_t *ret_events)
{
	struct kh_savepoint s = {.txn = {.backend = g->backend, .event = -1}, .c = g->c, .grown = grown};
	uint64_t events = 0;

	while (q->next != NULL) {
		struct kh_store_job *job = take_next(q);
		job->result = kh_savepoint_run(&s, job->fn, job->arg, &job->err);
		events += s.txn.events;
		if (s.rc == SQLITE_OK && sqlite3_get_autocommit(g->c->db))
			s.rc = SQLITE_IOERR; /* SQLite has ended the transaction by itself */
		if (s.txn.again && s.rc == SQLITE_OK)
			tell(g, job);
		else
			put_ran(q, job);
		if (s.rc != SQLITE_OK)
			return s.rc;
	}
	*ret_events = events;
	return SQLITE_OK;
}

/* Tells whoever makes checkpoints what is durable now. */
static void tell_heads(struct kh_heads *heads, const struct kh_savepoint_grown *grown)
{
	if (heads != NULL && (grown->n > 0 || grown->lost))
		kh_heads_committed(heads, grown->lost ? NULL : grown->at, grown->n);
}

/* Runs one transaction for the jobs that wait; some may be left. */
static void run_group(struct kh_group *g, struct queue *q)
{
	struct kh_store_job **from = q->end;
	struct kh_error err = {.err = KH_OK};
	/* Read once: kh_store_keep_heads() waits until no group uses the heads that it replaces. */
	struct kh_heads *heads = __atomic_load_n(&g->store->heads, __ATOMIC_ACQUIRE);
	uint64_t events = 0;

	g->grown.n = 0;
	g->grown.lost = false;
	g->wrote = false;
	int rc = begin(g);
	bool begun = rc == SQLITE_OK;
	if (begun)
		rc = run_jobs(g, heads != NULL ? &g->grown : NULL, q, &events);
	while (!begun && q->next != NULL) /* no job was run: all of them get the same error */
		put_ran(q, take_next(q));
	if (rc == SQLITE_OK)
		rc = kh_connection_step(g->c, KH_CONNECTION_COMMIT);
	if (rc != SQLITE_OK) {
		enum kh_err e = give_up(g, rc, &err);
		for (struct kh_store_job *job = *from; job != NULL; job = job->next)
			fail_job(job, e, &err);
		return;
	}
	kh_cache_commit(g->c->cache, g->wrote);
	count(&g->store->figures.commits, 1);
	count(&g->store->figures.events, events);
	tell_heads(heads, &g->grown);
	kh_reserve_hold(&g->reserve);
}

static void run_all(struct kh_group *g, struct kh_store_job *first)
{
	struct queue q = {.next = first, .end = &q.ran};
	struct kh_store_job *next;

	while (q.next != NULL && !g->failed)
		run_group(g, &q);
	while (q.next != NULL) {
		struct kh_store_job *job = take_next(&q);
		fail_job(job, g->reason.err, &g->reason);
		put_ran(&q, job);
	}
	for (struct kh_store_job *job = q.ran; job != NULL; job = next) {
		next = job->next;
		tell(g, job);
	}
}

/* --- the log ------------------------------------------------------------------------------------------------------ */

static void count_largest(struct kh_group *g, int64_t pages)
{
	uint64_t *largest = &g->store->figures.largest;

	if ((uint64_t)pages > __atomic_load_n(largest, __ATOMIC_RELAXED)) /* only this thread writes it */
		__atomic_store_n(largest, (uint64_t)pages, __ATOMIC_RELAXED);
}

static int log_grew(void *arg, sqlite3 *db, const char *name, int pages)
{
	struct kh_group *g = arg;

	(void)db;
	(void)name;
	g->wrote = true;
	if (pages < g->pages) /* it began anew */
		g->copied_at = 0;
	count_largest(g, pages < g->pages ? pages : pages - g->pages);
	g->pages = pages;
	return SQLITE_OK;
}

/* A copy has ended.  No room, or somebody who still reads, is not an error.  A failed sync is an error. */
static void check_copy(struct kh_group *g, int rc)
{
	if (kh_connection_is_fatal(rc)) {
		g->failed = true;
		(void)kh_connection_fail(g->c, rc, &g->reason);
	}
}

/* Copies what is left on this thread.  The log begins anew with the next commit if nothing was left out. */
static void copy_here(struct kh_group *g)
{
	errno = 0;
	check_copy(g, kh_connection_told(
			      sqlite3_wal_checkpoint_v2(g->c->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL)));
	g->copied_at = g->pages;
	g->rounds = 0;
}

/*
 * Copies the log into the database if it has grown long.  Another thread does that, again and again until only a few
 * pages are left, which were written meanwhile.  These are copied here, because only then nobody writes.
 */
static void shorten_log(struct kh_group *g)
{
	bool had = g->copying.begun;

	if (g->failed || kh_copying_is_busy(&g->copying))
		return;
	check_copy(g, kh_copying_end(&g->copying));
	if (g->failed || (!had && g->pages - g->copied_at < CHECKPOINT_PAGES))
		return;
	bool is_little = had && g->pages - g->copying.copied <= FEW_PAGES;
	if (!is_little && g->rounds < ROUNDS && kh_copying_begin(&g->copying))
		g->rounds++;
	else
		copy_here(g);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* Takes as many waiting jobs as one group may have; NULL: the store is closing and none waits. */
static struct kh_store_job *take(struct kh_group *g)
{
	struct kh_store_job *first, *last;
	size_t n = 1;

	pthread_mutex_lock(&g->mutex);
	while (g->first == NULL && !g->closing) {
		g->asleep = true;
		pthread_cond_wait(&g->more, &g->mutex);
		g->asleep = false;
	}
	first = last = g->first;
	if (first != NULL) {
		for (; n < KH_GROUP_MOST && last->next != NULL; n++)
			last = last->next;
		g->first = last->next;
		if (g->first == NULL)
			g->last = NULL;
		last->next = NULL;
	}
	pthread_mutex_unlock(&g->mutex);
	return first;
}

static void *work(void *arg)
{
	struct kh_group *g = arg;
	struct kh_store_job *jobs;

	while ((jobs = take(g)) != NULL) {
		run_all(g, jobs);
		shorten_log(g);
	}
	return NULL;
}

void kh_group_submit(struct kh_group *g, struct kh_store_job *job)
{
	bool wake;

	job->next = NULL;
	job->result = KH_OK;
	job->err = (struct kh_error){.err = KH_OK, .offset = SIZE_MAX};
	pthread_mutex_lock(&g->mutex);
	if (g->last != NULL)
		g->last->next = job;
	else
		g->first = job;
	g->last = job;
	wake = g->asleep;
	g->asleep = false;
	pthread_mutex_unlock(&g->mutex);
	if (wake)
		pthread_cond_signal(&g->more);
}

enum kh_err kh_group_start(struct kh_group *g, struct kh_error *err)
{
	sigset_t all, old;

	pthread_mutex_init(&g->mutex, NULL);
	pthread_cond_init(&g->more, NULL);
	if (!g->scratch)
		sqlite3_wal_hook(g->c->db, log_grew, g);
	/* Signals belong to the threads of whoever opened the store. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int failed = pthread_create(&g->thread, NULL, work, g);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (failed != 0)
		return kh_error_set(err, KH_ESTORE, "store_failed", "no thread for the store: %s",
				    strerrordesc_np(failed));
	return KH_OK;
}

void kh_group_stop(struct kh_group *g)
{
	pthread_mutex_lock(&g->mutex);
	g->closing = true;
	pthread_cond_signal(&g->more);
	pthread_mutex_unlock(&g->mutex);
	pthread_join(g->thread, NULL);
	kh_copying_done(&g->copying);
	pthread_cond_destroy(&g->more);
	pthread_mutex_destroy(&g->mutex);
	kh_alloc_free(&kh_alloc_system, g->grown.at, g->grown.cap * sizeof(*g->grown.at));
}
