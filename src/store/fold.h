/*
 * The fold: the state that the events say, built row by row and compared with the store's, column by column; and the
 * rules that the state must obey whatever the events say (invariant.h).
 *
 * Rows are kept in memory as their structs, so that the rules read like the engine's own; but a text or sealed column
 * is kept as a fingerprint of 16 bytes in the place of its view (a keyed hash whose key is made for each run: nobody
 * could have prepared two texts that have the same), so that a row takes a few hundred bytes whatever it holds.
 */
#ifndef KH_STORE_FOLD_H
#define KH_STORE_FOLD_H

#include "store/txn.h"
#include "store/verify.h"

struct kh_fold;

enum kh_err kh_fold_new(const struct kh_alloc *alloc, struct kh_fold **ret_fold, struct kh_error *err) KH_CHECKED;
void kh_fold_free(struct kh_fold *fold);

/* The next event, in order of its id.  What is wrong with it goes to VERIFY, whose `code` is then set. */
enum kh_err kh_fold_take(struct kh_fold *fold, const struct kh_audit_entry *entry, struct kh_verify *verify,
			 struct kh_error *err) KH_CHECKED;

/* Compares with the rows that TXN sees; what differs goes to VERIFY. */
enum kh_err kh_fold_compare(struct kh_fold *fold, struct kh_txn *txn, struct kh_verify *verify,
			    struct kh_error *err) KH_CHECKED;

/* What the rules look at.  A row that the events have written, or NULL; views in it are fingerprints. */
const void *kh_fold_row(const struct kh_fold *fold, enum kh_table table, int64_t id);

/* The sums that belong to a row of tasks, contexts or readers, to be kept by the rules; NULL where there is no row. */
struct kh_fold_sums *kh_fold_sums(struct kh_fold *fold, enum kh_table table, int64_t id);

/* How many rows of TABLE the events have written, and the N-th of them, from 0 on. */
size_t kh_fold_count(const struct kh_fold *fold, enum kh_table table);
const void *kh_fold_at(const struct kh_fold *fold, enum kh_table table, size_t n);

/* Whether a sealed column is that of bytes with this digest. */
bool kh_fold_is_of(const struct kh_fold *fold, struct kh_view sealed, const struct kh_digest *digest);

struct kh_fold_sums {
	uint64_t reserved, charged;  /* of the queries and operations that are open, that have ended */
	uint64_t total[3], count[3]; /* by category: microbits, queries */
	uint64_t exposed, deliveries, blocks, sealed_blocks, escalations, queries, egress;
	int64_t pending;
	enum kh_taint taint;
};

#endif
