/*
 * A small store with a history of everything: tokens, a context, tasks, sealed and delivered blocks, queries of two
 * categories, an approval that was shown and decided, a reset, a purge, two checkpoints.  Written through transactions
 * as the engine would, but by hand, so that the audit's tests know each event.
 */
#ifndef KH_TESTS_UNIT_STORE_HISTORY_H
#define KH_TESTS_UNIT_STORE_HISTORY_H

#include "harness.h"
#include "store/checkpoint.h"
#include "store/txn.h"
#include "store/verify.h"

#include <sqlite3.h>

struct kh_history {
	char folder[64];
	char path[96];
	struct kh_store *store;
	struct kh_store *seen; /* as a verifier has it open; NULL: none does */
	struct kh_arena arena;
	struct kh_checkpoint_key key;
	int64_t now;
	char lines[2048]; /* what a witness has of its checkpoints */
};

/*
 * A store with all of its history, closed: a copy of one that is made once for the program, for the test to spoil.  It
 * lasts until the next call, and is gone when the program ends.
 */
struct kh_history *kh_history_fresh(void);

/* The same with nothing in it but the system's row and an admin's token; open. */
void kh_history_begin(struct kh_history *h);

/* Closes, and removes the files. */
void kh_history_remove(struct kh_history *h);

/* Opens the store, for a while. */
void kh_history_open(struct kh_history *h);
void kh_history_close(struct kh_history *h);

/* Runs statements past all constraints, as somebody with a file could. */
void kh_history_sql(const struct kh_history *h, const char *sql);

/* A connection that obeys nothing. */
sqlite3 *kh_history_connect(const struct kh_history *h);

/* An external operation of task 2, from its declaration to its end, in events 23 to 26; the store is closed before and
 * after. */
void kh_history_operate(struct kh_history *h);

/* The lease of an upstream server, in the next three events; the store is closed before and after. */
void kh_history_lease(struct kh_history *h);

/* Removes the files of the store at PATH; copies a file. */
void kh_history_unlink(const char *path);
void kh_history_copy(const char *from, const char *to);

/* Event 23: from then on the store writes format 2.  The store is closed before and after. */
void kh_history_upgrade(struct kh_history *h);

/* An escalation of task 2, its end, and a reset, in the next three events; the store is closed before and after. */
void kh_history_escalate(struct kh_history *h);

/* COUNT more events of task 2, 64 a transaction. */
void kh_history_grow(struct kh_history *h, size_t count);

/*
 * Makes a checkpoint in TXN, whose line is empty if nothing is new; WITNESS is what it says of a witness, or NULL.
 */
enum kh_err kh_history_make(struct kh_txn *txn, const struct kh_checkpoint_key *key, int64_t now,
			    const struct kh_checkpoint_witness *witness, struct kh_arena *arena,
			    struct kh_view *ret_line) KH_CHECKED;

/* Signs a checkpoint. */
void kh_history_checkpoint(struct kh_history *h);

/*
 * Verifies.  The details live in the test's arena.  The store stays open for reading, because opening it takes longer
 * than anything else here; what others write into the file is seen all the same.
 */
struct kh_verify kh_history_verify(struct kh_test *t, struct kh_history *h, bool state);

#endif
