/*
 * The fold: the state that follows from the events.  It is built row by row and compared with the store's rows, column
 * by column.  The state must also obey the rules of invariant.h, whatever the events say.
 *
 * Rows are kept in memory as their structs, so that the rules read like the engine's own code.  A text or sealed column
 * is kept as a fingerprint of 16 bytes in place of its view, so that a row takes a few hundred bytes whatever it holds.
 * The fingerprint is a keyed hash with a new key for each run, so nobody could have prepared two texts with the same
 * fingerprint.
 */
#ifndef KH_STORE_FOLD_H
#define KH_STORE_FOLD_H

#include "store/txn.h"
#include "store/verify.h"

struct kh_fold;

enum kh_err kh_fold_new(const struct kh_alloc *alloc, struct kh_fold **ret_fold, struct kh_error *err) KH_CHECKED;
void kh_fold_free(struct kh_fold *fold);

/* Takes the next event, in order of id.  If something is wrong with it, VERIFY says what, and its `code` is set. */
enum kh_err kh_fold_take(struct kh_fold *fold, const struct kh_audit_entry *entry, struct kh_verify *verify,
			 struct kh_error *err) KH_CHECKED;

/* Compares the fold with the rows that TXN sees; VERIFY gets the first difference. */
enum kh_err kh_fold_compare(struct kh_fold *fold, struct kh_txn *txn, struct kh_verify *verify,
			    struct kh_error *err) KH_CHECKED;

/* For the rules: a row that the events have written, or NULL.  Views in it are fingerprints. */
const void *kh_fold_row(const struct kh_fold *fold, enum kh_table table, int64_t id);

/* The sums of a row of tasks, contexts or readers, which the rules maintain; NULL if there is no row. */
struct kh_fold_sums *kh_fold_sums(struct kh_fold *fold, enum kh_table table, int64_t id);

/* What a token took over 24 hours by the events (G4), which the rules maintain; NULL if there is no such row. */
struct kh_fold_day {
	struct kh_window window;
	int64_t compared; /* the newest mark when the marks were last compared with the row's */
};
struct kh_fold_day *kh_fold_day(struct kh_fold *fold, int64_t token);

/* How many rows of TABLE the events have written; the N-th of them, counting from 0. */
size_t kh_fold_count(const struct kh_fold *fold, enum kh_table table);
const void *kh_fold_at(const struct kh_fold *fold, enum kh_table table, size_t n);

/* Whether SEALED is the fingerprint of bytes with this digest. */
bool kh_fold_is_of(const struct kh_fold *fold, struct kh_view sealed, const struct kh_digest *digest);

/* Whether COLUMN is the fingerprint of TEXT. */
bool kh_fold_is_text(const struct kh_fold *fold, struct kh_view column, struct kh_view text);

struct kh_fold_sums {
	uint64_t reserved, charged;  /* sums over the open queries and operations, and over the ended ones */
	uint64_t total[3], count[3]; /* by category: microbits, queries */
	uint64_t exposed, deliveries, own, blocks, sealed_blocks, escalations, queries, egress, reader_egress, put;
	int64_t pending;
	enum kh_taint taint;
};

#endif
