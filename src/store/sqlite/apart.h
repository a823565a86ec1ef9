/* Content that is stored apart from its row, in SQLite: staged, named, read, dropped, removed (store/content.h). */
#ifndef KH_STORE_SQLITE_APART_H
#define KH_STORE_SQLITE_APART_H

#include "store/content.h"
#include "store/sqlite/savepoint.h"

/* As in backend.h. */
enum kh_err kh_apart_new(struct kh_txn *txn, int64_t holder, int64_t size, int64_t *ret_id) KH_CHECKED;
enum kh_err kh_apart_add(struct kh_txn *txn, int64_t id, int64_t part, struct kh_view bytes) KH_CHECKED;
enum kh_err kh_apart_next(struct kh_txn *txn, int64_t after, int64_t *ret_id, int64_t *ret_holder) KH_CHECKED;
enum kh_err kh_apart_drop(struct kh_txn *txn, int64_t id, int64_t holder, bool *ret_dropped) KH_CHECKED;
enum kh_err kh_apart_remove(struct kh_txn *txn, int64_t id, int64_t most, bool *ret_more) KH_CHECKED;

/* The staged content that is the value of column C of ROW; NULL: the value goes into the row. */
struct kh_content *kh_apart_content(const struct kh_savepoint *s, const struct kh_column *c, const void *row);

/* Names the staged content of the columns whose bit is set.  It must be whole, and this process's. */
enum kh_err kh_apart_name(struct kh_savepoint *s, const struct kh_record *record, const void *row,
			  uint64_t columns) KH_CHECKED;

/* The same for a row that is in the database, whose content of before is dropped. */
enum kh_err kh_apart_replace(struct kh_savepoint *s, enum kh_table table, int64_t id, const void *row,
			     uint64_t columns) KH_CHECKED;

/*
 * STMT, a statement KH_CONNECTION_GET, is at a row: puts its content that is apart together, in ARENA.  STRICT: the
 * parts have to be there.  Returns a result of SQLite.
 */
int kh_apart_read(struct kh_connection *c, sqlite3_stmt *stmt, const struct kh_record *record, struct kh_arena *arena,
		  bool strict, void *row);

/* SQL whose result is one text: what is wrong with the content that is stored apart; empty: nothing. */
extern const char kh_apart_check[];

#endif
