/* Tickets: a list under a lock.  There are at most as many as callers wait. */
#include "gateway/turns.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdio.h>

#define FORGET INT64_C(120000000) /* microseconds after which nobody takes a decision any more */

struct ticket {
	struct ticket *next;
	int64_t number, closed_at; /* closed_at 0: not decided */
	struct kh_turns_result turn;
};

struct kh_turns {
	const struct kh_alloc *alloc;
	pthread_mutex_t lock;
	struct ticket *first;
	int64_t last; /* number that was given out last */
};

struct kh_turns *kh_turns_new(const struct kh_alloc *alloc)
{
	struct kh_turns *turns = kh_alloc_zero(alloc, sizeof(*turns));

	if (turns == NULL)
		return NULL;
	turns->alloc = alloc;
	pthread_mutex_init(&turns->lock, NULL);
	return turns;
}

/* Removes the ticket that *PLACE points to; the lock is held. */
static void drop(struct kh_turns *turns, struct ticket **place)
{
	struct ticket *ticket = *place;

	*place = ticket->next;
	kh_alloc_free(turns->alloc, ticket, sizeof(*ticket));
}

void kh_turns_free(struct kh_turns *turns)
{
	if (turns == NULL)
		return;
	while (turns->first != NULL)
		drop(turns, &turns->first);
	pthread_mutex_destroy(&turns->lock);
	kh_alloc_free(turns->alloc, turns, sizeof(*turns));
}

/* Drops what was decided long ago; the lock is held. */
static void forget(struct kh_turns *turns)
{
	int64_t before = kh_works_now() - FORGET;
	struct ticket **place = &turns->first;

	while (*place != NULL) {
		if ((*place)->closed_at != 0 && (*place)->closed_at < before)
			drop(turns, place);
		else
			place = &(*place)->next;
	}
}

int64_t kh_turns_open(struct kh_turns *turns)
{
	struct ticket *ticket = kh_alloc_zero(turns->alloc, sizeof(*ticket));

	if (ticket == NULL)
		return 0;
	pthread_mutex_lock(&turns->lock);
	forget(turns);
	int64_t number = ticket->number = ++turns->last;
	ticket->next = turns->first;
	turns->first = ticket;
	pthread_mutex_unlock(&turns->lock);
	return number;
}

/* The place of ticket NUMBER in the list; the lock is held. */
static struct ticket **find(struct kh_turns *turns, int64_t number)
{
	struct ticket **place = &turns->first;

	while (*place != NULL && (*place)->number != number)
		place = &(*place)->next;
	return place;
}

void kh_turns_close(struct kh_turns *turns, int64_t number, enum kh_err e, const struct kh_error *err,
		    struct kh_view id)
{
	pthread_mutex_lock(&turns->lock);
	struct ticket *ticket = *find(turns, number);
	if (ticket != NULL) {
		ticket->closed_at = kh_works_now();
		ticket->turn.e = e;
		if (err != NULL)
			ticket->turn.err = *err;
		snprintf(ticket->turn.id, sizeof(ticket->turn.id), "%.*s", KH_FMT(id));
	}
	pthread_mutex_unlock(&turns->lock);
}

bool kh_turns_take(struct kh_turns *turns, int64_t number, struct kh_turns_result *ret_turn)
{
	bool decided = false;

	pthread_mutex_lock(&turns->lock);
	struct ticket **place = find(turns, number);
	if (*place != NULL && (*place)->closed_at != 0) {
		*ret_turn = (*place)->turn;
		drop(turns, place);
		decided = true;
	}
	pthread_mutex_unlock(&turns->lock);
	return decided;
}

int64_t kh_turns_chain(int64_t number)
{
	return -number;
}
