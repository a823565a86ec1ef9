/*
 * The file of the search index: <home>/index/search.db, a database of SQLite with a full-text table (FTS5).
 *
 *     folders(path, started, finished, cursor)    one for each folder that is indexed: how far the pass over it is
 *     files(id, key, ..., seen, indexed)          one for each file that was looked at: what it was like then
 *     docs(title, name, body)                     FTS5, rowid = files.id, of those that are text; the last bits of an
 *                                                 id tell how long the text is (worker/search/rank.h)
 *
 * A key is a path with a NUL for each slash: in the order of keys a folder's files stand together, before whatever has
 * the folder's name as its beginning, which is also the order of a walk (worker/search/walk.h).
 *
 * One writes, any number read meanwhile (WAL).  Who reads has the folder read-only: so the writer leaves the -wal and
 * -shm files there when it closes.  Everything in it can be made again from the folders: a file that is damaged, or of
 * another version, is thrown away and begun anew.
 */
#ifndef KH_WORKER_SEARCH_STORE_H
#define KH_WORKER_SEARCH_STORE_H

#include "base/error.h"

#include <sqlite3.h>

#define KH_SEARCH_STORE_FILE "search.db"
#define KH_SEARCH_STORE_LOCK "lock" /* held by the one who writes */

/* The columns of `docs`. */
enum { KH_SEARCH_STORE_TITLE, KH_SEARCH_STORE_NAME, KH_SEARCH_STORE_BODY };

/*
 * Opens the index in FOLDER to write it; makes it where there is none, or none that can be used, or REBUILD.
 * KH_EREFUSED `index_failed` with what the file system says.
 */
enum kh_err kh_search_store_write(const char *folder, bool rebuild, sqlite3 **ret_db, struct kh_error *err) KH_CHECKED;

/* Takes the lock of the one who writes the index in FOLDER, without waiting: its descriptor, or -1 if another has it. */
enum kh_err kh_search_store_lock(const char *folder, int *ret_fd, struct kh_error *err) KH_CHECKED;

/* Opens it to read.  KH_EREFUSED: `index_missing` if there is none yet, `index_corrupt`, `index_failed`. */
enum kh_err kh_search_store_read(const char *folder, sqlite3 **ret_db, struct kh_error *err) KH_CHECKED;

/* The error that RC, of a call on DB, means.  KH_ENOMEM, or KH_EREFUSED with one of the codes above. */
enum kh_err kh_search_store_fail(sqlite3 *db, int rc, struct kh_error *err) KH_CHECKED;

/* Statements without rows. */
enum kh_err kh_search_store_exec(sqlite3 *db, const char *sql, struct kh_error *err) KH_CHECKED;

/* The number that the statement SQL finds, 0 if there is none. */
enum kh_err kh_search_store_number(sqlite3 *db, const char *sql, int64_t *ret_number, struct kh_error *err) KH_CHECKED;

/* A statement, for as long as DB is open. */
enum kh_err kh_search_store_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret_stmt,
				    struct kh_error *err) KH_CHECKED;

/* Runs a statement that gives no row, and resets it. */
enum kh_err kh_search_store_run(sqlite3 *db, sqlite3_stmt *stmt, struct kh_error *err) KH_CHECKED;

/* The key of PATH, which is absolute, and the path of a key: the same bytes but for slashes and NULs.  Slashes at a
 * path's end are no part of its key. */
struct kh_view kh_search_store_key(struct kh_arena *arena, struct kh_view path);
struct kh_view kh_search_store_path(struct kh_arena *arena, struct kh_view key);

#endif
