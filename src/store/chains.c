/*
 * Heads of chains in a hash table: open addressing, doubled when half full.  The store assigns the numbers, so no
 * caller can choose colliding ones.
 */
#include "store/chains.h"

#include <stdlib.h>

#define FIRST 64

void kh_chains_init(struct kh_chains *chains, const struct kh_alloc *alloc)
{
	*chains = (struct kh_chains){.at = NULL};
	kh_arena_init(&chains->arena, alloc, SIZE_MAX / 2);
}

void kh_chains_done(struct kh_chains *chains)
{
	kh_arena_done(&chains->arena);
}

/* The slot of NUMBER, or the free slot where it belongs.  The table is never full. */
static struct kh_chains_head *place(struct kh_chains_head *at, size_t cap, int64_t number)
{
	size_t i = (size_t)((uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (cap - 1);

	while (at[i].there && at[i].number != number)
		i = (i + 1) & (cap - 1);
	return &at[i];
}

static bool grow(struct kh_chains *chains)
{
	size_t cap = chains->cap ? chains->cap * 2 : FIRST;
	struct kh_chains_head *at = KH_NEW_N(&chains->arena, struct kh_chains_head, cap);

	if (at == NULL)
		return false;
	for (size_t i = 0; i < chains->cap; i++) {
		if (chains->at[i].there)
			*place(at, cap, chains->at[i].number) = chains->at[i];
	}
	chains->at = at;
	chains->cap = cap;
	chains->last = NULL;
	return true;
}

struct kh_chains_head *kh_chains_get(struct kh_chains *chains, int64_t number)
{
	if (chains->last != NULL && chains->last->number == number)
		return chains->last;
	if (chains->n * 2 >= chains->cap && !grow(chains))
		return NULL;
	struct kh_chains_head *head = place(chains->at, chains->cap, number);
	if (!head->there) {
		*head = (struct kh_chains_head){.number = number, .there = true};
		chains->n++;
	}
	chains->last = head;
	return head;
}

static int by_number(const void *a, const void *b)
{
	const struct kh_chains_head *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

void kh_chains_sort(struct kh_chains *chains)
{
	size_t n = 0;

	for (size_t i = 0; i < chains->cap; i++) {
		if (chains->at[i].there)
			chains->at[n++] = chains->at[i];
	}
	if (n > 1)
		qsort(chains->at, n, sizeof(*chains->at), by_number);
	chains->last = NULL;
}
