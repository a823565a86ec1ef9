/* Turns: a count under a lock.  Who waits is woken one by one; who goes first is the kernel's choice. */
#include "reader/turns.h"

#include <pthread.h>
#include <time.h>

struct kh_turns {
	const struct kh_alloc *alloc;
	pthread_mutex_t lock;
	pthread_cond_t freed;
	uint64_t left;
};

struct kh_turns *kh_turns_new(const struct kh_alloc *alloc, uint64_t limit)
{
	struct kh_turns *turns = kh_alloc_zero(alloc, sizeof(*turns));
	pthread_condattr_t attributes;

	if (turns == NULL)
		return NULL;
	turns->alloc = alloc;
	turns->left = limit;
	pthread_mutex_init(&turns->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&turns->freed, &attributes);
	pthread_condattr_destroy(&attributes);
	return turns;
}

void kh_turns_free(struct kh_turns *turns)
{
	if (turns == NULL)
		return;
	pthread_cond_destroy(&turns->freed);
	pthread_mutex_destroy(&turns->lock);
	kh_alloc_free(turns->alloc, turns, sizeof(*turns));
}

bool kh_turns_take(struct kh_turns *turns, int64_t deadline_ms)
{
	struct timespec until = {.tv_sec = (time_t)(deadline_ms / 1000),
				 .tv_nsec = (long)(deadline_ms % 1000) * 1000000};
	int waited = 0;

	if (turns == NULL)
		return true;
	pthread_mutex_lock(&turns->lock);
	while (turns->left == 0 && waited == 0)
		waited = pthread_cond_timedwait(&turns->freed, &turns->lock, &until);
	bool taken = turns->left > 0;
	if (taken)
		turns->left--;
	pthread_mutex_unlock(&turns->lock);
	return taken;
}

void kh_turns_give(struct kh_turns *turns)
{
	if (turns == NULL)
		return;
	pthread_mutex_lock(&turns->lock);
	turns->left++;
	pthread_cond_signal(&turns->freed);
	pthread_mutex_unlock(&turns->lock);
}
