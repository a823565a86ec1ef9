/*
 * The heads of many audit chains, by number: what checkpoints sign and verification follows.  Grows in an arena of its
 * own; a chain that is asked for and not there begins with nothing.
 */
#ifndef KH_STORE_CHAINS_H
#define KH_STORE_CHAINS_H

#include "base/error.h"
#include "store/rows.h"

struct kh_chains_head {
	int64_t number; /* of the chain */
	struct kh_chain chain;
	uint64_t mark; /* the user's */
	bool listed;   /* likewise */
	bool there;
};

struct kh_chains {
	struct kh_arena arena;
	struct kh_chains_head *at;
	size_t n, cap;
	struct kh_chains_head *last; /* found last: events of one chain come in runs */
};

void kh_chains_init(struct kh_chains *chains, const struct kh_alloc *alloc);
void kh_chains_done(struct kh_chains *chains);

/* The head of chain NUMBER, made where it is not there; NULL when out of memory.  Valid until the next call. */
struct kh_chains_head *kh_chains_get(struct kh_chains *chains, int64_t number);

/* Puts the heads into ascending order: at[0] to at[n - 1].  Nothing can be looked up from then on. */
void kh_chains_sort(struct kh_chains *chains);

#endif
