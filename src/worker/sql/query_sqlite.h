/*
 * A statement for a file of SQLite, which may be hostile: made by whom nobody knows, with views and triggers of its
 * own, or broken on purpose.
 *
 * Opened read-only, with an authorizer that lets a statement select, read and call the functions of a list, and nothing
 * else: no ATTACH, PRAGMA, temporary table, extension or virtual table (but json_each and json_tree).  Limits on
 * length, depth, memory and time.
 *
 * A file in WAL mode is read with its log where FILE-wal and FILE-shm are there.  Where neither is, which is how the
 * last writer leaves it, it is read as it stands, and what was read is thrown away if the file changed meanwhile.  A
 * FILE-wal without its FILE-shm, and a FILE-journal that waits to be rolled back, need somebody who may write: failed.
 */
#ifndef KH_WORKER_SQL_QUERY_SQLITE_H
#define KH_WORKER_SQL_QUERY_SQLITE_H

#include "worker/sql/sqljob.h"

/* Carries JOB out, whose statement passed kh_sqltext_check().  Codes: sql.h. */
enum kh_err kh_query_sqlite_run(struct kh_arena *arena, const struct kh_sqljob *job, struct kh_view *ret_json,
				struct kh_error *err) KH_CHECKED;

/* The most memory that SQLite takes from now on in this process, for good: for the worker, before it reads its job. */
void kh_query_sqlite_bound(void);

#endif
