/*
 * The fold: the state that the events say, built in a scratch store and compared with the rows, column by column; and
 * the rules that the state must obey whatever the events say (I-6: budget = remaining + reserved + charged; a context's
 * taint is the highest that it was given since its reset; ...), recomputed from the events.
 */
#ifndef KH_STORE_FOLD_H
#define KH_STORE_FOLD_H

#include "store/txn.h"
#include "store/verify.h"

struct kh_fold;

enum kh_err kh_fold_new(struct kh_fold **ret_fold, struct kh_error *err) __attribute__((warn_unused_result));
void kh_fold_free(struct kh_fold *fold);

/* The next event, in order of its id. */
enum kh_err kh_fold_take(struct kh_fold *fold, const struct kh_audit_entry *entry, struct kh_verify *verify,
			 struct kh_error *err) __attribute__((warn_unused_result));

/* Compares with the rows that TXN sees; what differs goes to VERIFY. */
enum kh_err kh_fold_compare(struct kh_fold *fold, struct kh_txn *txn, struct kh_verify *verify, struct kh_error *err)
	__attribute__((warn_unused_result));

#endif
