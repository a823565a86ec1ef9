/*
 * A statement for a file of SQLite, which may be hostile: of unknown origin, with views and triggers of its own, or
 * corrupted on purpose.
 *
 * Opened read-only, with an authorizer that allows a statement only to select, to read and to call the functions of a
 * list: no ATTACH, PRAGMA, temporary table, extension or virtual table (except json_each and json_tree).  Limits on
 * length, depth, memory and time.
 *
 * A file in WAL mode is read with its log if FILE-wal and FILE-shm exist.  If neither exists, which is how the last
 * writer leaves it, the file is read as it is, and the result is discarded if the file changed meanwhile.  A FILE-wal
 * without its FILE-shm, and a FILE-journal that must be rolled back, need a process that may write, so the statement
 * fails.
 */
#ifndef KH_WORKER_SQL_QUERY_SQLITE_H
#define KH_WORKER_SQL_QUERY_SQLITE_H

#include "worker/sql/sqljob.h"

/* Carries JOB out, whose statement passed kh_sqltext_check().  Codes: sql.h. */
enum kh_err kh_query_sqlite_run(struct kh_arena *arena, const struct kh_sqljob *job, struct kh_view *ret_json,
				struct kh_error *err) KH_CHECKED;

/* Limits the memory of SQLite in this process, permanently: for the worker, before it reads its job. */
void kh_query_sqlite_bound(void);

#endif
