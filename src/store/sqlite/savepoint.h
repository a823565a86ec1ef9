/*
 * An operation in a database transaction: its savepoint, and how a failure of the database ends it.  The first write
 * opens the savepoint, so an operation that only reads needs none.
 */
#ifndef KH_STORE_SQLITE_SAVEPOINT_H
#define KH_STORE_SQLITE_SAVEPOINT_H

#include "store/heads.h"
#include "store/sqlite/connection.h"

/* The events that a transaction has appended and not committed yet, for the heads of checkpoints. */
struct kh_savepoint_grown {
	struct kh_heads_event *at;
	size_t n, cap;
	bool lost; /* one of them could not be remembered */
};

struct kh_savepoint {
	struct kh_txn txn; /* first: what operations are given */
	struct kh_connection *c;
	bool open;
	int rc;                           /* the database's failure; SQLITE_OK: none */
	int64_t next[KH_TABLE_COUNT];     /* next ids of this transaction; 0: not asked for yet */
	struct kh_savepoint_grown *grown; /* NULL: nobody wants to know */
	struct kh_cache *others; /* the store's thread's, read first by one who wants no snapshot; NULL: a snapshot */
	bool kept;               /* rows that are not in it are not read */
};

/* For the functions of backend.h in row.c and trail.c; those of the store itself are in sqlite.c. */
struct kh_savepoint *kh_savepoint_of(struct kh_txn *txn);

/* Remembers an event that was appended, until the operation is rolled back or the transaction has ended. */
void kh_savepoint_grew(struct kh_savepoint *s, const struct kh_heads_event *event);

/* To be called before a write. */
enum kh_err kh_savepoint_write(struct kh_savepoint *s) KH_CHECKED;

/* The database returned RC: the operation cannot be kept, whatever it does next. */
enum kh_err kh_savepoint_break(struct kh_savepoint *s, int rc);

/* Runs a statement that writes, if RC, the result of binding its parameters, is SQLITE_OK. */
enum kh_err kh_savepoint_step(struct kh_savepoint *s, sqlite3_stmt *stmt, int rc) KH_CHECKED;

/*
 * Runs an operation, and keeps what it wrote or rolls it back.  S->rc is SQLITE_OK if the transaction around it goes
 * on; otherwise that transaction has ended or must end, with everything in it.
 */
enum kh_err kh_savepoint_run(struct kh_savepoint *s, kh_store_fn *fn, void *arg, struct kh_error *err) KH_CHECKED;

#endif
