/* Rows of the record tables: implements functions of backend.h. */
#ifndef KH_STORE_SQLITE_ROW_H
#define KH_STORE_SQLITE_ROW_H

#include "store/sqlite/savepoint.h"

enum kh_err kh_row_get(struct kh_txn *txn, enum kh_table table, int64_t id, void *ret_row) KH_CHECKED;
enum kh_err kh_row_peek(struct kh_txn *txn, enum kh_table table, int64_t id, void *ret_row) KH_CHECKED;
enum kh_err kh_row_insert(struct kh_txn *txn, enum kh_table table, const void *row) KH_CHECKED;
enum kh_err kh_row_update(struct kh_txn *txn, enum kh_table table, const void *row, uint64_t changed) KH_CHECKED;
enum kh_err kh_row_next_id(struct kh_txn *txn, enum kh_table table, int64_t *ret_id) KH_CHECKED;
enum kh_err kh_row_find(struct kh_txn *txn, enum kh_index index, int64_t key, struct kh_view text, int64_t after,
			size_t limit, int64_t *ids, size_t *ret_count) KH_CHECKED;
enum kh_err kh_row_each(struct kh_txn *txn, enum kh_table table, bool (*fn)(const void *row, void *arg),
			void *arg) KH_CHECKED;

/* Whether indexes match their tables: see `agrees` in backend.h. */
enum kh_err kh_row_agree(struct kh_txn *txn, struct kh_view *ret_why);

#endif
