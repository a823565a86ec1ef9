/*
 * Work in steps: what the gateway does for its callers, many of whom wait.
 *
 * A step runs on a thread of the pool.  It may block on the store and on nothing else (works of asks, dispatch.h, have a
 * pool of their own, where a step is as long as a Reader takes).  It says what comes next: done, or wait.  Waiting
 * costs no thread: the work is stepped again when its time has come, when the record has a new event of the chain that
 * it waits for, by this process or another on the same store, or when somebody wakes it.  It may also be stepped for no
 * reason at all, so a step looks for itself what there is to see.
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
	KH_WORK_DONE, /* the works touch it no more: the step may have freed it */
	KH_WORK_WAIT,
};

#define KH_WORK_ANY INT64_MAX /* any event wakes: of whoever watches everything */

struct kh_work {
	enum kh_work_next (*step)(struct kh_work *work);
	/* Set by a step that waits, and zeroed before every step. */
	int64_t wake_at;    /* kh_works_now() then; 0: not by time */
	int64_t wake_chain; /* an event of this chain wakes: a task's row id; KH_WORK_ANY; 0: none */
	/* Of the works, from here on. */
	enum { KH_WORK_NEW, KH_WORK_QUEUED, KH_WORK_RUNS, KH_WORK_PARKED } state;
	bool woken; /* while it ran */
	uint64_t since, told;
	size_t place; /* in the heap of times, + 1; 0: not there */
	struct kh_work *next, *prev;
	struct kh_works *works;
};

struct kh_works_settings {
	const struct kh_alloc *alloc;
	unsigned threads;       /* at most; they are started as they are needed */
	struct kh_store *store; /* whose record is watched; NULL: no chain wakes */
};

enum kh_err kh_works_new(const struct kh_works_settings *settings, struct kh_works **ret_works,
			 struct kh_error *err) KH_CHECKED;

/* Microseconds of a clock that only goes forward. */
int64_t kh_works_now(void);

/* Has WORK, which is new, stepped.  False where the works are stopping: it is the caller's still. */
bool kh_works_add(struct kh_works *works, struct kh_work *work) KH_CHECKED;

/*
 * The same, where the caller is a step of these works himself and runs the first step in its place: nobody has to be
 * woken for it.  From kh_works_begin() on it counts as one that runs, and may be woken; kh_works_go() has to follow.
 */
bool kh_works_begin(struct kh_works *works, struct kh_work *work) KH_CHECKED;
void kh_works_go(struct kh_work *work);

/* Has WORK stepped soon, whatever it waits for.  It must not be done yet: its owner has to know. */
void kh_works_wake(struct kh_work *work);

/*
 * This process has recorded something of CHAIN: whoever waits for it is stepped now, and not when the record is looked
 * at next.  One that is being stepped, and waits for it then, is stepped again.
 */
void kh_works_wake_chain(struct kh_works *works, int64_t chain);

/* True from kh_works_stop() on: a step that would wait should come to an end instead. */
bool kh_works_is_stopping(struct kh_works *works);

/* Takes no new work, and wakes all that wait.  Returns when nothing is left, or after TIMEOUT_US: false then. */
bool kh_works_stop(struct kh_works *works, int64_t timeout_us);

/* After kh_works_stop() has returned true.  NULL is fine. */
void kh_works_free(struct kh_works *works);

struct kh_works_figures {
	size_t parked, queued, threads;
	uint64_t steps;
};
struct kh_works_figures kh_works_figures(struct kh_works *works);

#endif
