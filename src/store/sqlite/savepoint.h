/*
 * An operation in a database transaction: its savepoint, opened by its first write, so that an operation that only
 * reads costs none; and how a failure of the database ends it.
 */
#ifndef KH_STORE_SQLITE_SAVEPOINT_H
#define KH_STORE_SQLITE_SAVEPOINT_H

#include "store/sqlite/connection.h"

struct kh_savepoint {
	struct kh_txn txn; /* first: what operations are given */
	struct kh_connection *c;
	bool open;
	int rc;                       /* of the database's failure; SQLITE_OK: none */
	int64_t next[KH_TABLE_COUNT]; /* ids to be given out in this transaction; 0: not asked for yet */
};

/* The table of functions (row.c, trail.c); those of the store itself are sqlite.c's. */
struct kh_savepoint *kh_savepoint_of(struct kh_txn *txn);

/* Before a write. */
enum kh_err kh_savepoint_write(struct kh_savepoint *s) KH_CHECKED;

/* The database said RC: the operation cannot be kept, whatever it does next. */
enum kh_err kh_savepoint_break(struct kh_savepoint *s, int rc);

/*
 * Runs an operation, and keeps what it wrote or takes it back.  S->rc is SQLITE_OK where the transaction around it goes
 * on; else that transaction is over or must be, with all that was in it.
 */
enum kh_err kh_savepoint_run(struct kh_savepoint *s, kh_store_fn *fn, void *arg, struct kh_error *err) KH_CHECKED;

#endif
