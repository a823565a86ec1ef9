/*
 * Works: what the gateway does for its callers, in steps, because many of the callers wait.
 *
 * A step runs on a thread of the pool.  It may block on the store and on nothing else.  (The works of dispatch.h have a
 * pool of their own, in which a step takes as long as a Reader does.)  A step returns what comes next: done, or wait.
 * Waiting costs no thread.  The work is stepped again when its time has come, when the record has a new event of the
 * chain that it waits for (written by this process or another one on the same store), or when somebody wakes it.  It
 * may also be stepped for no reason, so a step must check for itself what has changed.
 *
 *     static enum kh_work_next step(struct kh_work *work)
 *     {
 *             struct mine *mine = (struct mine *)work;       the work is the first member
 *             ...
 *             work->wake_at = kh_works_now() + 100000;
 *             return KH_WORK_WAIT;
 *     }
 */
#ifndef KH_GATEWAY_WORKS_H
#define KH_GATEWAY_WORKS_H

#include "store/store.h"

struct kh_works;

enum kh_work_next {
	KH_WORK_DONE, /* the pool does not touch it again: the step may have freed it */
	KH_WORK_WAIT,
};

#define KH_WORK_ANY INT64_MAX /* any event wakes it: for a work that watches everything */

struct kh_work {
	enum kh_work_next (*step)(struct kh_work *work);
	/* Set by a step that waits, and zeroed before every step. */
	int64_t wake_at;    /* a time of kh_works_now(); 0: not woken by time */
	int64_t wake_chain; /* an event of this chain wakes it: a task's row id; KH_WORK_ANY; 0: none */
	/* The members below are used by the pool only. */
	enum { KH_WORK_NEW, KH_WORK_QUEUED, KH_WORK_RUNS, KH_WORK_PARKED } state;
	bool woken; /* it was woken while it ran */
	uint64_t since, told;
	size_t place; /* index in the heap of times, + 1; 0: not there */
	struct kh_work *next, *prev;
	struct kh_works *works;
};

struct kh_works_settings {
	const struct kh_alloc *alloc;
	unsigned threads;       /* at most; they are started when needed */
	struct kh_store *store; /* whose record is watched; NULL: works cannot wait for chains */
};

enum kh_err kh_works_new(const struct kh_works_settings *settings, struct kh_works **ret_works,
			 struct kh_error *err) KH_CHECKED;

/* Microseconds of a monotonic clock. */
int64_t kh_works_now(void);

/* Has WORK, which is new, stepped.  False if the pool is stopping: then the caller still owns WORK. */
bool kh_works_add(struct kh_works *works, struct kh_work *work) KH_CHECKED;

/*
 * The same for a caller that is itself a step of this pool: it runs the first step in place, so that no thread has to
 * be woken.  From kh_works_begin() on the work counts as running, and may be woken; kh_works_go() has to follow.
 */
bool kh_works_begin(struct kh_works *works, struct kh_work *work) KH_CHECKED;
void kh_works_go(struct kh_work *work);

/* Has WORK stepped soon, whatever it waits for.  The caller must know that WORK is not done yet. */
void kh_works_wake(struct kh_work *work);

/*
 * This process has recorded an event of CHAIN: steps the works that wait for it now, instead of after the next look at
 * the record.  A work that is being stepped and then waits for CHAIN is stepped again.
 */
void kh_works_wake_chain(struct kh_works *works, int64_t chain);

/* True from kh_works_stop() on: a step that would wait should end instead. */
bool kh_works_is_stopping(struct kh_works *works);

/* Takes no new work, and wakes all that wait.  Returns true when nothing is left, or false after TIMEOUT_US. */
bool kh_works_stop(struct kh_works *works, int64_t timeout_us);

/* After kh_works_stop() has returned true.  WORKS may be NULL. */
void kh_works_free(struct kh_works *works);

struct kh_works_figures {
	size_t parked, queued, threads;
	uint64_t steps;
};
struct kh_works_figures kh_works_figures(struct kh_works *works);

#endif
