/*
 * Verification (L3).  It checks every event's hash, its place in its chain, its number and its columns, and every
 * checkpoint's signature and heads.  With `state` it also checks that the rows are the fold of the events, and that
 * budgets, approvals and taints follow from the events by the rules.  The first bad event is named.
 */
#ifndef KH_STORE_VERIFY_H
#define KH_STORE_VERIFY_H

#include "base/canonical.h"
#include "store/store.h"

struct kh_verify {
	/* in */
	bool state;
	const struct kh_digest *audit_key; /* the public key that is expected; NULL: the one that the store names */
	struct kh_view witness;            /* a witness's lines */
	struct kh_view witness_name;       /* as in checkpoints: what it must have is checked too; empty: not known */
	bool has_witness;                  /* there is one, even if it has no lines */
	void (*progress)(void *ctx, uint64_t done, uint64_t of); /* may be NULL */
	void *ctx;
	struct kh_arena *arena;
	/* out */
	bool good;
	const char *code; /* what is wrong: a code of a fixed list (docs/reference/CODES.md) */
	int64_t event;    /* the first bad event, or the event after which something is missing; 0: none is at fault */
	int64_t chain;    /* its chain */
	struct kh_view detail;                             /* a sentence: table, row and column if the state differs */
	uint64_t events, chains, checkpoints, rows, bytes; /* what was checked; bytes: of event bodies */
	int64_t covered;                                   /* the newest event that a checkpoint covers */
	uint64_t compared;                                 /* lines of the witness, each with its checkpoint */
	int64_t witnessed;                                 /* the newest checkpoint that the witness has; 0: none */
};

/* KH_OK: the check was made, and `good` is its result.  Works on a snapshot, in the calling thread. */
enum kh_err kh_verify_store(struct kh_store *store, struct kh_verify *verify, struct kh_error *err) KH_CHECKED;

#endif
