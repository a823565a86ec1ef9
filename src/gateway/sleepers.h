/*
 * A lock, and the threads that sleep because there is nothing to do for them.
 *
 * A thread without work sleeps on a latch of its own.  It lists itself under the lock, while nothing is queued.  Whoever
 * queues something rouses a thread under the same lock: takes it off the list, if there is one.  Its latch is set when
 * the lock is let go, and every way to let go of the lock does that.  A latch that was set keeps nobody asleep, and a
 * thread that wakes looks at the queue before it lists itself again.  So while something is queued, either no thread
 * sleeps, or one that was roused for it has yet to look at the queue: no wake-up can be lost.
 *
 * The thread that fell asleep last is roused first, because its memory is still in the caches.
 */
#ifndef KH_GATEWAY_SLEEPERS_H
#define KH_GATEWAY_SLEEPERS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct kh_sleeper;

struct kh_sleepers {
	pthread_mutex_t lock;
	struct kh_sleeper *asleep, *roused; /* roused: since the lock was taken */
	size_t idle;                        /* threads in kh_sleepers_sleep() */
};

void kh_sleepers_init(struct kh_sleepers *s);
void kh_sleepers_done(struct kh_sleepers *s);

void kh_sleepers_lock(struct kh_sleepers *s);

/* Lets go of the lock, and wakes whom the caller has roused. */
void kh_sleepers_unlock(struct kh_sleepers *s);

/* For a holder of the lock: one thread, or all of them, wake when the lock is let go. */
void kh_sleepers_rouse(struct kh_sleepers *s);
void kh_sleepers_rouse_all(struct kh_sleepers *s);

/* Without the lock, sleeps until roused.  The lock is held before and afterwards; the caller has seen nothing queued. */
void kh_sleepers_sleep(struct kh_sleepers *s);

/* The same until COND is signalled or, if UNTIL is not 0, at that time of COND's clock, in microseconds. */
void kh_sleepers_wait(struct kh_sleepers *s, pthread_cond_t *cond, int64_t until);

#endif
