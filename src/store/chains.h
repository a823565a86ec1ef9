/*
 * The heads of many audit chains, by number.  Checkpoints sign them and verification follows them.  The table grows in
 * an arena of its own.  Asking for a chain that is not there adds it, with no events.
 */
#ifndef KH_STORE_CHAINS_H
#define KH_STORE_CHAINS_H

#include "base/error.h"
#include "store/rows.h"

struct kh_chains_head {
	int64_t number; /* of the chain */
	struct kh_chain chain;
	int64_t seen;  /* length of the system's chain when this one last named its head */
	uint64_t mark; /* for the caller's use */
	bool listed;   /* for the caller's use */
	bool there;
};

struct kh_chains {
	struct kh_arena arena;
	struct kh_chains_head *at;
	size_t n, cap;
	struct kh_chains_head *last; /* the head found last, because events of one chain come in runs */
};

void kh_chains_init(struct kh_chains *chains, const struct kh_alloc *alloc);
void kh_chains_done(struct kh_chains *chains);

/* The head of chain NUMBER, added if it is not there; NULL when out of memory.  Valid until the next call. */
struct kh_chains_head *kh_chains_get(struct kh_chains *chains, int64_t number);

/* Sorts the heads in ascending order: at[0] to at[n - 1].  Nothing can be looked up afterwards. */
void kh_chains_sort(struct kh_chains *chains);

#endif
