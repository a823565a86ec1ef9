/* Rows beside the record, as the backend keeps them. */
#include "store/kept.h"

#include "store/backend.h"

const struct kh_words kh_kept_words = KH_WORDS([KH_KEPT_SESSION] = "session", [KH_KEPT_STREAM] = "stream",
					       [KH_KEPT_EVENT] = "event", [KH_KEPT_STATE] = "state");

enum kh_err kh_kept_put(struct kh_txn *txn, const struct kh_kept *row)
{
	if (txn->reading)
		return kh_error_set(txn->err, KH_ESTORE, "read_only", "this transaction only reads");
	return txn->backend->kept_put(txn, row);
}

enum kh_err kh_kept_each(struct kh_txn *txn, const struct kh_kept *of, int64_t after, kh_kept_fn *fn, void *arg)
{
	return txn->backend->kept_each(txn, of, after, fn, arg);
}

enum kh_err kh_kept_count(struct kh_txn *txn, enum kh_kept_kind kind, int64_t token, int64_t *ret_count,
			  struct kh_digest *ret_first)
{
	return txn->backend->kept_count(txn, kind, token, ret_count, ret_first);
}

enum kh_err kh_kept_remove(struct kh_txn *txn, enum kh_kept_range range, const struct kh_kept *of)
{
	if (txn->reading)
		return kh_error_set(txn->err, KH_ESTORE, "read_only", "this transaction only reads");
	return txn->backend->kept_remove(txn, range, of);
}
