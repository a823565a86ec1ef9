/*
 * A table of heads under a lock.  Two threads use it: the store's, after each commit, and the one that makes
 * checkpoints.  Neither holds the lock while it does anything slow.
 */
#include "store/heads.h"

#include "base/alloc.h"

#include <pthread.h>
#include <time.h>

struct kh_heads {
	const struct kh_alloc *alloc;
	pthread_mutex_t lock;
	pthread_cond_t grown;
	struct kh_chains chains; /* with the events of (from, last] */
	int64_t from, last;      /* -1: nothing was committed yet */
	int64_t covered;         /* by a stored checkpoint, as far as is known */
	int64_t wanted;          /* events after which the waiting thread is woken */
	bool gap;                /* an event since `from` is not known */
	bool stopped;
};

enum kh_err kh_heads_new(const struct kh_alloc *alloc, struct kh_heads **ret_heads)
{
	struct kh_heads *heads = kh_alloc_zero(alloc, sizeof(*heads));
	pthread_condattr_t attr;

	if (heads == NULL)
		return KH_ENOMEM;
	heads->alloc = alloc;
	heads->from = heads->last = -1;
	heads->gap = true;
	pthread_mutex_init(&heads->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&heads->grown, &attr);
	pthread_condattr_destroy(&attr);
	kh_chains_init(&heads->chains, alloc);
	*ret_heads = heads;
	return KH_OK;
}

void kh_heads_free(struct kh_heads *heads)
{
	if (heads == NULL)
		return;
	kh_chains_done(&heads->chains);
	pthread_cond_destroy(&heads->grown);
	pthread_mutex_destroy(&heads->lock);
	kh_alloc_free(heads->alloc, heads, sizeof(*heads));
}

static bool add(struct kh_heads *heads, const struct kh_heads_event *event)
{
	struct kh_chains_head *head = kh_chains_get(&heads->chains, event->chain);

	if (head != NULL)
		head->chain = (struct kh_chain){.n = event->n, .last = event->id, .head = event->hash};
	return head != NULL && event->id == heads->last + 1;
}

void kh_heads_committed(struct kh_heads *heads, const struct kh_heads_event *events, size_t count)
{
	pthread_mutex_lock(&heads->lock);
	if (events == NULL)
		heads->gap = true;
	for (size_t i = 0; events != NULL && i < count; i++) {
		if (!add(heads, &events[i]))
			heads->gap = true;
		heads->last = events[i].id;
	}
	if (heads->last - heads->covered >= heads->wanted || events == NULL)
		pthread_cond_signal(&heads->grown);
	pthread_mutex_unlock(&heads->lock);
}

bool kh_heads_take(struct kh_heads *heads, int64_t covered, struct kh_chains *chains, int64_t *ret_last)
{
	struct kh_chains fresh;

	kh_chains_init(&fresh, heads->alloc);
	pthread_mutex_lock(&heads->lock);
	bool known = !heads->gap && heads->from == covered && heads->last > covered;
	*chains = heads->chains;
	*ret_last = heads->last;
	heads->chains = fresh;
	heads->from = heads->last;
	heads->gap = heads->last < 0;
	pthread_mutex_unlock(&heads->lock);
	if (!known) {
		kh_chains_done(chains);
		kh_chains_init(chains, heads->alloc);
	}
	return known;
}

void kh_heads_cover(struct kh_heads *heads, int64_t covered)
{
	pthread_mutex_lock(&heads->lock);
	heads->covered = covered;
	/* If the record was read, events of other processes may lie before COVERED.  They need no reading any more. */
	if (heads->last <= covered) {
		heads->from = heads->last = covered;
		heads->gap = false;
	} else if (heads->from < covered) {
		heads->from = covered;
	}
	pthread_mutex_unlock(&heads->lock);
}

void kh_heads_forget(struct kh_heads *heads)
{
	pthread_mutex_lock(&heads->lock);
	heads->gap = true;
	pthread_mutex_unlock(&heads->lock);
}

int64_t kh_heads_wait(struct kh_heads *heads, int64_t count, int64_t until)
{
	const struct timespec end = {.tv_sec = until / 1000000, .tv_nsec = until % 1000000 * 1000};
	int late = 0;

	pthread_mutex_lock(&heads->lock);
	heads->wanted = count;
	while (!heads->stopped && late == 0 && heads->last - heads->covered < count)
		late = pthread_cond_timedwait(&heads->grown, &heads->lock, &end);
	int64_t open = heads->last > heads->covered ? heads->last - heads->covered : 0;
	pthread_mutex_unlock(&heads->lock);
	return open;
}

void kh_heads_stop(struct kh_heads *heads)
{
	pthread_mutex_lock(&heads->lock);
	heads->stopped = true;
	pthread_cond_broadcast(&heads->grown);
	pthread_mutex_unlock(&heads->lock);
}

bool kh_heads_is_stopped(struct kh_heads *heads)
{
	pthread_mutex_lock(&heads->lock);
	bool stopped = heads->stopped;
	pthread_mutex_unlock(&heads->lock);
	return stopped;
}
