/*
 * The pool of works: threads, a heap of wake times, a table of chains, and one thread that watches the clock and the
 * record (the audit).
 *
 * One lock guards all of it; steps run without it.  The record is read only while a work waits for a chain.  A work
 * that parks may have missed an event that was read while it ran, or that came before the reading started.  So it is
 * stepped again a moment later: nothing is lost and nothing spins.
 */
#include "gateway/works.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "gateway/sleepers.h"
#include "store/txn.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define BUCKETS 1024
#define WATCH   INT64_C(25000) /* microseconds between looks at the record */
#define AGAIN   INT64_C(50000) /* until a work that may have missed an event looks again */
#define STACK   ((size_t)512 << 10)
#define CHAINS  256 /* chains that one look at the record distinguishes; if there are more, every work is woken */

struct kh_works {
	struct kh_works_settings settings;
	struct kh_sleepers sleepers;  /* their lock guards all of it */
	pthread_cond_t clock, ended;  /* the watch has to look; a work has ended */
	struct kh_work *first, *last; /* queued */
	size_t queued, running, parked, started;
	struct kh_work **heap; /* parked works with a time, the soonest first */
	size_t timed, room;
	struct kh_work *chains[BUCKETS]; /* parked works with a chain */
	size_t chained;
	uint64_t tells; /* calls of kh_works_wake_chain() */
	pthread_t *thread;
	pthread_t watch;
	bool watching, stopping, over;
	int64_t seen;   /* the last event that was read */
	uint64_t looks; /* how often something new was read, or reading was started again */
	uint64_t steps;
};

int64_t kh_works_now(void)
{
	return kh_clock_us();
}

/* --- the heap of times -------------------------------------------------------------------------------------------- */

static void place(struct kh_works *w, size_t i, struct kh_work *work)
{
	w->heap[i] = work;
	work->place = i + 1;
}

static void sift_up(struct kh_works *w, size_t i, struct kh_work *work)
{
	for (; i > 0 && w->heap[(i - 1) / 2]->wake_at > work->wake_at; i = (i - 1) / 2)
		place(w, i, w->heap[(i - 1) / 2]);
	place(w, i, work);
}

static void sift_down(struct kh_works *w, size_t i, struct kh_work *work)
{
	for (size_t child = 2 * i + 1; child < w->timed; child = 2 * i + 1) {
		if (child + 1 < w->timed && w->heap[child + 1]->wake_at < w->heap[child]->wake_at)
			child++;
		if (w->heap[child]->wake_at >= work->wake_at)
			break;
		place(w, i, w->heap[child]);
		i = child;
	}
	place(w, i, work);
}

static void untime(struct kh_works *w, struct kh_work *work)
{
	size_t i = work->place - 1;

	if (work->place == 0)
		return;
	work->place = 0;
	struct kh_work *last = w->heap[--w->timed];
	if (last == work)
		return;
	if (i > 0 && w->heap[(i - 1) / 2]->wake_at > last->wake_at)
		sift_up(w, i, last);
	else
		sift_down(w, i, last);
}

/* kh_works_add() has made room for one more. */
static void set_time(struct kh_works *w, struct kh_work *work)
{
	sift_up(w, w->timed++, work);
	if (work->place == 1)
		pthread_cond_signal(&w->clock);
}

/* --- the table of chains ------------------------------------------------------------------------------------------ */

static struct kh_work **bucket(struct kh_works *w, int64_t chain)
{
	return &w->chains[(uint64_t)chain * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

/* Every parked work is in this table, so that a stop finds them all.  A work that waits for no chain is in chain 0. */
static void chain(struct kh_works *w, struct kh_work *work)
{
	struct kh_work **head = bucket(w, work->wake_chain);

	work->prev = NULL;
	work->next = *head;
	if (*head != NULL)
		(*head)->prev = work;
	*head = work;
	if (work->wake_chain != 0 && w->chained++ == 0)
		pthread_cond_signal(&w->clock);
}

static void unchain(struct kh_works *w, struct kh_work *work)
{
	if (work->prev != NULL)
		work->prev->next = work->next;
	else
		*bucket(w, work->wake_chain) = work->next;
	if (work->next != NULL)
		work->next->prev = work->prev;
	w->chained -= work->wake_chain != 0;
}

/* --- threads; the lock is held ------------------------------------------------------------------------------------ */

static void *run(void *arg);

static bool start_thread(struct kh_works *w)
{
	pthread_attr_t attr;

	if (w->started == w->settings.threads || pthread_attr_init(&attr) != 0)
		return false;
	bool started = pthread_attr_setstacksize(&attr, STACK) == 0 &&
		       pthread_create(&w->thread[w->started], &attr, run, w) == 0;
	w->started += started;
	pthread_attr_destroy(&attr);
	return started;
}

/* Starts threads for the queued works, up to the limit.  If none can be started, the existing threads do the work. */
static void grow(struct kh_works *w)
{
	for (size_t wanted = w->queued; wanted > w->sleepers.idle; wanted--) {
		if (!start_thread(w))
			return;
	}
}

/* --- queue and parking; the lock is held -------------------------------------------------------------------------- */

static void enqueue(struct kh_works *w, struct kh_work *work)
{
	work->state = KH_WORK_QUEUED;
	work->next = NULL;
	if (w->last != NULL)
		w->last->next = work;
	else
		w->first = work;
	w->last = work;
	w->queued++;
	kh_sleepers_rouse(&w->sleepers);
	grow(w);
}

static void unpark(struct kh_works *w, struct kh_work *work)
{
	untime(w, work);
	unchain(w, work);
	w->parked--;
	enqueue(w, work);
}

static void park(struct kh_works *w, struct kh_work *work)
{
	int64_t soon = kh_works_now() + (work->woken ? 0 : AGAIN);

	if (w->settings.store == NULL)
		work->wake_chain = 0;
	/* A work that waits although everything stops is stepped again and again, but with a pause. */
	bool missed = work->wake_chain != 0 && (w->chained == 0 || work->since != w->looks);
	/* A chain was reported while it ran, perhaps the one it waits for: step it at once, like one that was woken. */
	if (work->wake_chain != 0 && work->told != w->tells) {
		soon = kh_works_now();
		missed = true;
	}
	if ((missed || work->woken || w->stopping) && (work->wake_at == 0 || work->wake_at > soon))
		work->wake_at = soon;
	work->woken = false;
	work->state = KH_WORK_PARKED;
	w->parked++;
	if (work->wake_at != 0)
		set_time(w, work);
	chain(w, work);
}

/* --- threads of the pool ------------------------------------------------------------------------------------------ */

static struct kh_work *dequeue(struct kh_works *w)
{
	struct kh_work *work = w->first;

	w->first = work->next;
	if (w->first == NULL)
		w->last = NULL;
	w->queued--;
	w->running++;
	w->steps++;
	work->state = KH_WORK_RUNS;
	work->wake_at = work->wake_chain = 0;
	work->woken = false;
	work->since = w->looks;
	work->told = w->tells;
	return work;
}

/* Runs one step without the lock; takes the lock again afterwards. */
static void run_step(struct kh_works *w, struct kh_work *work)
{
	enum kh_work_next next = work->step(work);

	kh_sleepers_lock(&w->sleepers);
	w->running--;
	if (next == KH_WORK_WAIT)
		park(w, work);
	else
		pthread_cond_broadcast(&w->ended);
}

static void *run(void *arg)
{
	struct kh_works *w = arg;

	kh_sleepers_lock(&w->sleepers);
	while (true) {
		while (w->first == NULL && !w->over)
			kh_sleepers_sleep(&w->sleepers);
		if (w->first == NULL)
			break;
		struct kh_work *work = dequeue(w);
		kh_sleepers_unlock(&w->sleepers);
		run_step(w, work);
	}
	kh_sleepers_unlock(&w->sleepers);
	return NULL;
}

/* --- the watch ---------------------------------------------------------------------------------------------------- */

struct look {
	struct kh_works *works;
	int64_t after;
	int64_t chain[CHAINS];
	size_t n;
	bool many, last_only;
};

static bool note(const struct kh_audit_entry *entry, void *arg)
{
	struct look *look = arg;

	look->after = entry->id;
	for (size_t i = look->n; i > 0; i--) {
		if (look->chain[i - 1] == entry->chain)
			return true;
	}
	if (look->n < CHAINS)
		look->chain[look->n++] = entry->chain;
	else
		look->many = true;
	return true;
}

static enum kh_err read_record(struct kh_txn *txn, void *arg)
{
	struct look *look = arg;
	int64_t next;

	if (!look->last_only)
		return kh_audit_read(txn, look->after, note, look);
	enum kh_err e = kh_txn_next_event(txn, &next);
	if (e == KH_OK)
		look->after = next - 1;
	return e;
}

static void wake_chain(struct kh_works *w, int64_t of)
{
	struct kh_work *next;

	for (struct kh_work *work = *bucket(w, of); work != NULL; work = next) {
		next = work->next;
		if (work->wake_chain == of)
			unpark(w, work);
	}
}

static void wake_all(struct kh_works *w)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		while (w->chains[i] != NULL)
			unpark(w, w->chains[i]);
	}
}

void kh_works_wake_chain(struct kh_works *works, int64_t chain)
{
	kh_sleepers_lock(&works->sleepers);
	works->tells++;
	wake_chain(works, chain);
	kh_sleepers_unlock(&works->sleepers);
}

/*
 * Reads the new events of the record, and wakes the works that wait for them.  The lock is held, but not while reading.
 * False if the store cannot be read: whoever calls an operation is told that, and waits also end by time.
 */
static bool look(struct kh_works *w, bool from_now)
{
	struct look look = {.works = w, .after = w->seen, .last_only = from_now};
	struct kh_error err;

	kh_sleepers_unlock(&w->sleepers);
	enum kh_err e = kh_store_read(w->settings.store, read_record, &look, &err);
	kh_sleepers_lock(&w->sleepers);
	if (e != KH_OK || (look.after == w->seen && !from_now))
		return e == KH_OK;
	w->seen = look.after;
	w->looks++;
	for (size_t i = 0; i < look.n && !look.many; i++)
		wake_chain(w, look.chain[i]);
	if (look.n > 0)
		wake_chain(w, KH_WORK_ANY);
	if (look.many)
		wake_all(w);
	return true;
}

static void *watch(void *arg)
{
	struct kh_works *w = arg;
	int64_t look_at = 0;
	bool reads = false; /* continues where it read last; otherwise starts from now */

	kh_sleepers_lock(&w->sleepers);
	while (!w->over) {
		int64_t now = kh_works_now();
		while (w->timed > 0 && w->heap[0]->wake_at <= now)
			unpark(w, w->heap[0]);
		if (w->chained == 0) {
			reads = false;
			look_at = 0;
		} else if (look_at <= now) {
			reads = look(w, !reads);
			look_at = kh_works_now() + WATCH;
		}
		int64_t until = w->timed > 0 ? w->heap[0]->wake_at : 0;
		if (w->chained > 0 && (until == 0 || look_at < until))
			until = look_at;
		if (!w->over && (until == 0 || until > kh_works_now()))
			kh_sleepers_wait(&w->sleepers, &w->clock, until);
	}
	kh_sleepers_unlock(&w->sleepers);
	return NULL;
}

/* --- for callers -------------------------------------------------------------------------------------------------- */

/* Every work may need a place in the heap.  The room is made when a work is added, because adding may fail. */
static bool reserve(struct kh_works *w)
{
	size_t there = w->queued + w->running + w->parked + 1;

	if (there <= w->room)
		return true;
	size_t room = w->room > 0 ? 2 * w->room : 64;
	struct kh_work **heap = kh_alloc_zero(w->settings.alloc, room * sizeof(*heap));
	if (heap == NULL)
		return false;
	if (w->heap != NULL) {
		memcpy(heap, w->heap, w->timed * sizeof(*heap));
		kh_alloc_free(w->settings.alloc, w->heap, w->room * sizeof(*heap));
	}
	w->heap = heap;
	w->room = room;
	return true;
}

bool kh_works_add(struct kh_works *w, struct kh_work *work)
{
	kh_sleepers_lock(&w->sleepers);
	bool takes = !w->stopping && reserve(w);
	if (takes) {
		*work = (struct kh_work){.step = work->step, .works = w};
		enqueue(w, work);
	}
	kh_sleepers_unlock(&w->sleepers);
	return takes;
}

bool kh_works_begin(struct kh_works *w, struct kh_work *work)
{
	kh_sleepers_lock(&w->sleepers);
	bool takes = !w->stopping && reserve(w);
	if (takes) {
		*work = (struct kh_work){
			.step = work->step, .works = w, .state = KH_WORK_RUNS, .since = w->looks, .told = w->tells};
		w->running++;
		w->steps++;
	}
	kh_sleepers_unlock(&w->sleepers);
	return takes;
}

void kh_works_go(struct kh_work *work)
{
	struct kh_works *w = work->works;

	run_step(w, work);
	kh_sleepers_unlock(&w->sleepers);
}

void kh_works_wake(struct kh_work *work)
{
	struct kh_works *w = work->works;

	kh_sleepers_lock(&w->sleepers);
	if (work->state == KH_WORK_PARKED) {
		unpark(w, work);
	} else {
		work->woken = true;
	}
	kh_sleepers_unlock(&w->sleepers);
}

bool kh_works_is_stopping(struct kh_works *w)
{
	kh_sleepers_lock(&w->sleepers);
	bool stopping = w->stopping;
	kh_sleepers_unlock(&w->sleepers);
	return stopping;
}

struct kh_works_figures kh_works_figures(struct kh_works *w)
{
	kh_sleepers_lock(&w->sleepers);
	struct kh_works_figures figures = {
		.parked = w->parked, .queued = w->queued, .threads = w->started, .steps = w->steps};
	kh_sleepers_unlock(&w->sleepers);
	return figures;
}

bool kh_works_stop(struct kh_works *w, int64_t timeout_us)
{
	int64_t end = kh_works_now() + timeout_us;

	kh_sleepers_lock(&w->sleepers);
	w->stopping = true;
	wake_all(w);
	while (w->queued + w->running + w->parked > 0 && kh_works_now() < end)
		kh_sleepers_wait(&w->sleepers, &w->ended, end);
	bool none = w->queued + w->running + w->parked == 0;
	kh_sleepers_unlock(&w->sleepers);
	return none;
}

static void end_threads(struct kh_works *w)
{
	kh_sleepers_lock(&w->sleepers);
	w->over = true;
	kh_sleepers_rouse_all(&w->sleepers);
	pthread_cond_broadcast(&w->clock);
	kh_sleepers_unlock(&w->sleepers);
	for (size_t i = 0; i < w->started; i++)
		pthread_join(w->thread[i], NULL);
	if (w->watching)
		pthread_join(w->watch, NULL);
}

void kh_works_free(struct kh_works *w)
{
	if (w == NULL)
		return;
	const struct kh_alloc *alloc = w->settings.alloc;
	end_threads(w);
	kh_sleepers_done(&w->sleepers);
	pthread_cond_destroy(&w->clock);
	pthread_cond_destroy(&w->ended);
	if (w->heap != NULL)
		kh_alloc_free(alloc, w->heap, w->room * sizeof(*w->heap));
	if (w->thread != NULL)
		kh_alloc_free(alloc, w->thread, w->settings.threads * sizeof(*w->thread));
	kh_alloc_free(alloc, w, sizeof(*w));
}

enum kh_err kh_works_new(const struct kh_works_settings *settings, struct kh_works **ret_works, struct kh_error *err)
{
	const struct kh_alloc *alloc = settings->alloc != NULL ? settings->alloc : &kh_alloc_system;
	struct kh_works *w = kh_alloc_zero(alloc, sizeof(*w));
	pthread_condattr_t monotonic;

	if (w == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	w->settings = *settings;
	w->settings.alloc = alloc;
	kh_sleepers_init(&w->sleepers);
	pthread_condattr_init(&monotonic); /* these cannot fail on Linux */
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&w->clock, &monotonic);
	pthread_cond_init(&w->ended, &monotonic);
	pthread_condattr_destroy(&monotonic);
	w->thread = kh_alloc_zero(alloc, settings->threads * sizeof(*w->thread));
	w->watching = w->thread != NULL && pthread_create(&w->watch, NULL, watch, w) == 0;
	/*
	 * The first thread is started now, so that there is always one; if a later one cannot be started, the pool is
	 * only slower.
	 */
	kh_sleepers_lock(&w->sleepers);
	bool started = w->watching && start_thread(w);
	kh_sleepers_unlock(&w->sleepers);
	if (!started) {
		kh_works_free(w);
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "cannot start a thread");
	}
	*ret_works = w;
	return KH_OK;
}
