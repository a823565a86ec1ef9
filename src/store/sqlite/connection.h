/*
 * A connection to the SQLite database: opened with the settings that durability needs.  Its prepared statements are
 * made from the record tables when they are first used.  Only one thread may use it at a time.
 *
 * Failures become KH_ESTORE here and nowhere else (kh_connection_fail).
 */
#ifndef KH_STORE_SQLITE_CONNECTION_H
#define KH_STORE_SQLITE_CONNECTION_H

#include "store/backend.h"
#include "store/sqlite/cache.h"

#include <sqlite3.h>

#define KH_CONNECTION_UPDATES 24 /* statements kept for each table, one for each set of columns */

/* Statements that are not made from a table's columns. */
enum kh_connection_text {
	KH_CONNECTION_BEGIN, /* for writing */
	KH_CONNECTION_SNAPSHOT,
	KH_CONNECTION_COMMIT,
	KH_CONNECTION_ROLLBACK,
	KH_CONNECTION_SAVEPOINT,
	KH_CONNECTION_RELEASE,
	KH_CONNECTION_ROLLBACK_TO,
	KH_CONNECTION_APPEND_TASK,
	KH_CONNECTION_APPEND_SYSTEM,
	KH_CONNECTION_VERSION,
	KH_CONNECTION_LAST_EVENT,
	KH_CONNECTION_ENTRY_TASK,
	KH_CONNECTION_ENTRY_SYSTEM,
	KH_CONNECTION_ADD_CHECKPOINT,
	KH_CONNECTION_CHECKPOINT,
	KH_CONNECTION_LAST_CHECKPOINT,
	KH_CONNECTION_KEPT_PUT,
	KH_CONNECTION_KEPT_EACH,
	KH_CONNECTION_KEPT_COUNT,
	KH_CONNECTION_KEPT_COUNT_ALL,
	KH_CONNECTION_KEPT_OF_KEY,
	KH_CONNECTION_KEPT_OF_STREAM,
	KH_CONNECTION_KEPT_EVENTS,
	KH_CONNECTION_KEPT_OF_TOKEN,
	KH_CONNECTION_KEPT_UNTIL,
	KH_CONNECTION_CONTENT_NEW,
	KH_CONNECTION_CONTENT_ADD,
	KH_CONNECTION_CONTENT_SIZE,
	KH_CONNECTION_CONTENT_PARTS,
	KH_CONNECTION_CONTENT_NAME,
	KH_CONNECTION_CONTENT_NEXT,
	KH_CONNECTION_CONTENT_DROP,
	KH_CONNECTION_CONTENT_REMOVE_PARTS,
	KH_CONNECTION_CONTENT_REMOVE,
	KH_CONNECTION_TEXT_COUNT
};

/* Statements that every table has. */
enum kh_connection_row {
	KH_CONNECTION_GET,
	KH_CONNECTION_PEEK, /* sealed columns are empty; a column more says whether they are short */
	KH_CONNECTION_INSERT,
	KH_CONNECTION_NEXT_ID,
	KH_CONNECTION_FORGET, /* drops the content that its columns name; only for tables that have such columns */
	KH_CONNECTION_ROW_COUNT
};

struct kh_connection_update {
	uint64_t columns;
	sqlite3_stmt *stmt;
};

struct kh_connection {
	sqlite3 *db;
	sqlite3_stmt *texts[KH_CONNECTION_TEXT_COUNT];
	sqlite3_stmt *rows[KH_CONNECTION_ROW_COUNT][KH_TABLE_COUNT];
	sqlite3_stmt *find[KH_INDEX_COUNT];
	struct kh_connection_update update[KH_TABLE_COUNT][KH_CONNECTION_UPDATES];
	unsigned replace[KH_TABLE_COUNT]; /* which of these is replaced next */
	int64_t patience;                 /* milliseconds to wait for another process's transaction */
	int64_t waiting_since;
	struct kh_cache *cache;     /* the cache of the store's thread; NULL: none */
	struct kh_connection *next; /* in the pool */
};

/*
 * Opens PATH, which must exist.  PATH NULL opens a scratch database.  Nothing is read yet.  `store_missing` if PATH
 * does not exist.
 */
enum kh_err kh_connection_open(struct kh_connection *c, const char *path, enum kh_store_mode mode,
			       struct kh_error *err) KH_CHECKED;
void kh_connection_close(struct kh_connection *c);

/* Runs SQL of our own that has no results. */
enum kh_err kh_connection_exec(struct kh_connection *c, const char *sql, struct kh_error *err) KH_CHECKED;

/* Runs SQL of our own whose result is one number. */
enum kh_err kh_connection_number(struct kh_connection *c, const char *sql, int64_t *ret_number,
				 struct kh_error *err) KH_CHECKED;

/* Statements, prepared once.  NULL: SQLite could not prepare it, and *RET_RC says why. */
sqlite3_stmt *kh_connection_text(struct kh_connection *c, enum kh_connection_text which, int *ret_rc);
sqlite3_stmt *kh_connection_row(struct kh_connection *c, enum kh_connection_row which, enum kh_table table,
				int *ret_rc);
sqlite3_stmt *kh_connection_update(struct kh_connection *c, enum kh_table table, uint64_t columns, int *ret_rc);
sqlite3_stmt *kh_connection_find(struct kh_connection *c, enum kh_index index, int *ret_rc);

/* The bytes of a result, a text's too, borrowed until the statement's next step. */
struct kh_view kh_connection_bytes(sqlite3_stmt *stmt, int at);

/* Runs a statement without results.  Returns SQLITE_OK or the failure, as kh_connection_told() reports it. */
int kh_connection_step(struct kh_connection *c, enum kh_connection_text which);

/*
 * SQLite's result code, except that it is SQLITE_FULL if a write found no room, whatever the kernel calls that, because
 * a full disk is not a failed disk.  (A failed sync is a failure, whatever its reason.)  SQLite itself recognises only
 * ENOSPC and does not keep the other values, so this reads errno and must be called right after the call that failed.
 */
int kh_connection_told(int rc);

/*
 * What a failure RC of SQLite means to Keyhole: fills *ERR, which may be NULL.
 *   store_full       no room; nothing was recorded
 *   store_busy       another process held the store for too long
 *   store_corrupt    the file is damaged, or is not a database
 *   store_refused    a constraint forbids what was to be written
 *   store_failed     anything else
 */
enum kh_err kh_connection_fail(struct kh_connection *c, int rc, struct kh_error *err);

/* Whether nothing is certain any more after RC, because a read, a write or a sync failed or the file is damaged. */
bool kh_connection_is_fatal(int rc);

#endif
