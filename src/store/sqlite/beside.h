/* The table of what transports keep (store/kept.h): implements functions of backend.h. */
#ifndef KH_STORE_SQLITE_BESIDE_H
#define KH_STORE_SQLITE_BESIDE_H

#include "store/sqlite/savepoint.h"

enum kh_err kh_beside_put(struct kh_txn *txn, const struct kh_kept *row) KH_CHECKED;
enum kh_err kh_beside_each(struct kh_txn *txn, const struct kh_kept *of, int64_t after, kh_kept_fn *fn,
			   void *arg) KH_CHECKED;
enum kh_err kh_beside_count(struct kh_txn *txn, enum kh_kept_kind kind, int64_t token, int64_t *ret_count,
			    struct kh_digest *ret_first) KH_CHECKED;
enum kh_err kh_beside_remove(struct kh_txn *txn, enum kh_kept_range range, const struct kh_kept *of) KH_CHECKED;

#endif
