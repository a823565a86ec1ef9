/*
 * The file of the search index: <home>/index/search.db, a database of SQLite with a full-text table (FTS5).
 *
 *     folders(path, started, finished, cursor)    one for each indexed folder: how far the pass over it is
 *     files(id, key, ..., seen, indexed)          one for each file that was seen: its state at that time
 *     docs(title, name, body)                     FTS5, rowid = files.id, of those that are text; the last bits of an
 *                                                 id give the length of the text (worker/search/rank.h)
 *
 * A key is a path with a NUL for each slash.  In the order of keys a folder's files stand together, before everything
 * else that has the folder's name as its prefix; a walk has the same order (worker/search/walk.h).
 *
 * One process writes, and any number can read meanwhile (WAL).  Readers have the folder read-only, so the writer leaves
 * the -wal and -shm files there when it closes.  Everything in the index can be made again from the folders, so a file
 * that is damaged, or of another version, is deleted and made anew.
 */
#ifndef KH_WORKER_SEARCH_STORE_H
#define KH_WORKER_SEARCH_STORE_H

#include "base/error.h"

#include <sqlite3.h>

#define KH_SEARCH_STORE_FILE "search.db"
#define KH_SEARCH_STORE_LOCK "lock" /* held by the writer */

/* The columns of `docs`. */
enum { KH_SEARCH_STORE_TITLE, KH_SEARCH_STORE_NAME, KH_SEARCH_STORE_BODY };

/*
 * Opens the index in FOLDER for writing; makes it if there is none, or none that can be used, or if REBUILD.
 * KH_EREFUSED `index_failed` with the error of the file system.
 */
enum kh_err kh_search_store_write(const char *folder, bool rebuild, sqlite3 **ret_db, struct kh_error *err) KH_CHECKED;

/* Takes the writer's lock of the index in FOLDER, without waiting: its descriptor, or -1 if another process has it. */
enum kh_err kh_search_store_lock(const char *folder, int *ret_fd, struct kh_error *err) KH_CHECKED;

/* Opens it for reading.  KH_EREFUSED: `index_missing` if there is none yet, `index_corrupt`, `index_failed`. */
enum kh_err kh_search_store_read(const char *folder, sqlite3 **ret_db, struct kh_error *err) KH_CHECKED;

/* The error for RC, returned by a call on DB.  KH_ENOMEM, or KH_EREFUSED with one of the codes above. */
enum kh_err kh_search_store_fail(sqlite3 *db, int rc, struct kh_error *err) KH_CHECKED;

/* Runs statements that return no rows. */
enum kh_err kh_search_store_exec(sqlite3 *db, const char *sql, struct kh_error *err) KH_CHECKED;

/* The number that the statement SQL returns, 0 if it returns no row. */
enum kh_err kh_search_store_number(sqlite3 *db, const char *sql, int64_t *ret_number, struct kh_error *err) KH_CHECKED;

/* Prepares a statement that is valid for as long as DB is open. */
enum kh_err kh_search_store_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret_stmt,
				    struct kh_error *err) KH_CHECKED;

/* Runs a statement that returns no row, and resets it. */
enum kh_err kh_search_store_run(sqlite3 *db, sqlite3_stmt *stmt, struct kh_error *err) KH_CHECKED;

/* The key of PATH, which is absolute, and the path of a key: the same bytes except for slashes and NULs.  Slashes at
 * the end of a path are not part of its key. */
struct kh_view kh_search_store_key(struct kh_arena *arena, struct kh_view path);
struct kh_view kh_search_store_path(struct kh_arena *arena, struct kh_view key);

#endif
