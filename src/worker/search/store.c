/*
 * Opens the search index.  Trusts its own file no more than SQLite does: its schema must be exactly ours.
 */
#include "worker/search/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#define VERSION     3 /* of the tables below; a file with another version is made anew */
#define PATIENCE_MS 2000

static const char schema[] =
	"CREATE TABLE folders(path BLOB PRIMARY KEY, started INTEGER NOT NULL, finished INTEGER NOT NULL,"
	" cursor BLOB) WITHOUT ROWID;"
	"CREATE TABLE files(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, device INTEGER NOT NULL,"
	" inode INTEGER NOT NULL, modified INTEGER NOT NULL, size INTEGER NOT NULL, changed INTEGER NOT NULL,"
	" seen INTEGER NOT NULL, indexed INTEGER NOT NULL);"
	"CREATE INDEX not_indexed ON files(key) WHERE indexed = 0;"
	"CREATE VIRTUAL TABLE docs USING fts5(title, name, body, tokenize = 'porter unicode61 remove_diacritics 2');"
	/* Fewer and larger segments while many rows are inserted. */
	"INSERT INTO docs(docs, rank) VALUES('hashsize', 8388608);"
	"PRAGMA user_version = 3;"; /* VERSION */

/* The index can be made again, so a power loss may cost the last changes, but must not corrupt it. */
static const char writing[] = "PRAGMA journal_mode = WAL;"
			      "PRAGMA synchronous = NORMAL;"
			      "PRAGMA wal_autocheckpoint = 0;"
			      "PRAGMA journal_size_limit = 0;"
			      "PRAGMA cache_size = -65536;"
			      "PRAGMA temp_store = MEMORY;"
			      "PRAGMA trusted_schema = OFF;";

/* Bytes that SQLite has in use when memory may really be short: its caches alone may take 64 MiB of the worker's 512. */
#define MUCH (256 << 20)

static const char reading[] = "PRAGMA query_only = ON;"
			      "PRAGMA cache_size = -65536;"
			      "PRAGMA mmap_size = 1073741824;" /* pages of the kernel's cache, not copies of them */
			      "PRAGMA temp_store = MEMORY;"
			      "PRAGMA trusted_schema = OFF;";

/*
 * Out of memory.  If little was in use, the index asked for an amount that no sound one needs.  Then it is damaged, and
 * has to be made anew: otherwise every later search would fail too.
 */
static enum kh_err fail_memory(struct kh_error *err)
{
	if (sqlite3_memory_used() < MUCH)
		return kh_error_set(err, KH_EREFUSED, "index_corrupt",
				    "the search index is damaged: sizes in it are wrong");
	return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
}

enum kh_err kh_search_store_fail(sqlite3 *db, int rc, struct kh_error *err)
{
	int error = db != NULL ? sqlite3_system_errno(db) : 0;

	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		return fail_memory(err);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_SCHEMA:
	case SQLITE_CONSTRAINT:
	case SQLITE_ERROR: /* our own statements have no errors, so a table is not as it should be */
		return kh_error_set(err, KH_EREFUSED, "index_corrupt", "the search index is damaged: %s",
				    sqlite3_errstr(rc));
	case SQLITE_INTERRUPT:
		return kh_error_set(err, KH_ELIMIT, "too_long", "the search took too long");
	case SQLITE_IOERR:
		if (rc == SQLITE_IOERR_NOMEM)
			return fail_memory(err);
		if (rc == SQLITE_IOERR_SHORT_READ)
			return kh_error_set(err, KH_EREFUSED, "index_corrupt", "the search index is cut short");
		break;
	default:
		break;
	}
	return kh_error_set(err, KH_EREFUSED, "index_failed", "the search index failed: %s%s%s", sqlite3_errstr(rc),
			    error != 0 ? ": " : "", error != 0 ? strerrordesc_np(error) : "");
}

enum kh_err kh_search_store_exec(sqlite3 *db, const char *sql, struct kh_error *err)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? KH_OK : kh_search_store_fail(db, rc, err);
}

enum kh_err kh_search_store_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret_stmt, struct kh_error *err)
{
	int rc = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, ret_stmt, NULL);

	return rc == SQLITE_OK ? KH_OK : kh_search_store_fail(db, rc, err);
}

enum kh_err kh_search_store_run(sqlite3 *db, sqlite3_stmt *stmt, struct kh_error *err)
{
	int rc = sqlite3_step(stmt);
	enum kh_err e = rc == SQLITE_DONE ? KH_OK : kh_search_store_fail(db, rc, err);

	sqlite3_reset(stmt);
	return e;
}

static bool name_of(const char *folder, const char *suffix, char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "%s/" KH_SEARCH_STORE_FILE "%s", folder, suffix);

	return n > 0 && n < PATH_MAX;
}

/* The version of the tables; 0: there are none.  Fails for a file that is not a database, or is damaged. */
static int read_version(sqlite3 *db, int *ret_version)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		*ret_version = sqlite3_column_int(stmt, 0);
	int end = sqlite3_finalize(stmt);
	return rc == SQLITE_ROW ? end : rc;
}

static int open_file(const char *path, int flags, const char *settings, sqlite3 **ret_db)
{
	sqlite3 *db = NULL;
	int rc = sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);

	if (rc == SQLITE_OK) {
		sqlite3_busy_timeout(db, PATIENCE_MS);
		sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		rc = sqlite3_exec(db, settings, NULL, NULL, NULL);
	}
	*ret_db = db; /* also on failure, because it holds the error message */
	return rc;
}

static void remove_files(const char *folder)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (name_of(folder, suffixes[i], path))
			(void)unlink(path);
}

/* Opens the existing file; false if there is none that can be used. */
static bool open_existing(const char *path, sqlite3 **ret_db)
{
	int version = 0, rc = open_file(path, SQLITE_OPEN_READWRITE, writing, ret_db);

	if (rc == SQLITE_OK)
		rc = read_version(*ret_db, &version);
	if (rc == SQLITE_OK && version == VERSION)
		return true;
	sqlite3_close(*ret_db);
	*ret_db = NULL;
	return false;
}

static enum kh_err create(const char *folder, const char *path, sqlite3 **ret_db, struct kh_error *err)
{
	remove_files(folder);
	int rc = open_file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, writing, ret_db);

	if (rc == SQLITE_OK)
		rc = sqlite3_exec(*ret_db, schema, NULL, NULL, NULL);
	return rc == SQLITE_OK ? KH_OK : kh_search_store_fail(*ret_db, rc, err);
}

enum kh_err kh_search_store_write(const char *folder, bool rebuild, sqlite3 **ret_db, struct kh_error *err)
{
	char path[PATH_MAX];
	sqlite3 *db = NULL;
	enum kh_err e = KH_OK;
	int keep = 1;

	if (!name_of(folder, "-journal", path) || !name_of(folder, "", path))
		return kh_error_set(err, KH_EREFUSED, "index_failed", "the name of the index's folder is too long");
	if (rebuild || !open_existing(path, &db))
		e = create(folder, path, &db, err);
	if (e != KH_OK) {
		sqlite3_close(db);
		return e;
	}
	sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &keep); /* for processes that may only read */
	*ret_db = db;
	return KH_OK;
}

enum kh_err kh_search_store_read(const char *folder, sqlite3 **ret_db, struct kh_error *err)
{
	char path[PATH_MAX];
	sqlite3 *db = NULL;
	int version = 0;

	if (!name_of(folder, "", path))
		return kh_error_set(err, KH_EREFUSED, "index_failed", "the name of the index's folder is too long");
	int rc = open_file(path, SQLITE_OPEN_READONLY, reading, &db);
	bool missing = rc != SQLITE_OK && access(path, F_OK) != 0 && errno == ENOENT;
	if (rc == SQLITE_OK)
		rc = read_version(db, &version);
	enum kh_err e = rc == SQLITE_OK ? KH_OK : kh_search_store_fail(db, rc, err);
	if (missing || (e == KH_OK && version == 0))
		e = kh_error_set(err, KH_EREFUSED, "index_missing", "the folders have not been indexed yet");
	else if (e == KH_OK && version != VERSION)
		e = kh_error_set(err, KH_EREFUSED, "index_corrupt", "the search index is of another version");
	if (e != KH_OK) {
		sqlite3_close(db);
		return e;
	}
	*ret_db = db;
	return KH_OK;
}

static struct kh_view change(struct kh_arena *arena, struct kh_view from, char old, char new)
{
	char *p = kh_arena_alloc(arena, from.n);

	if (p == NULL)
		return (struct kh_view){NULL, 0};
	for (size_t i = 0; i < from.n; i++)
		p[i] = from.p[i] == old ? new : from.p[i];
	return kh_view_of(p, from.n);
}

struct kh_view kh_search_store_key(struct kh_arena *arena, struct kh_view path)
{
	while (path.n > 0 && path.p[path.n - 1] == '/')
		path.n--;
	return change(arena, path, '/', '\0');
}

struct kh_view kh_search_store_path(struct kh_arena *arena, struct kh_view key)
{
	return change(arena, key, '\0', '/');
}

enum kh_err kh_search_store_number(sqlite3 *db, const char *sql, int64_t *ret_number, struct kh_error *err)
{
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = kh_search_store_prepare(db, sql, &stmt, err);
	int rc = e == KH_OK ? sqlite3_step(stmt) : SQLITE_DONE;

	*ret_number = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
	if (e == KH_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		e = kh_search_store_fail(db, rc, err);
	sqlite3_finalize(stmt);
	return e;
}

enum kh_err kh_search_store_lock(const char *folder, int *ret_fd, struct kh_error *err)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/" KH_SEARCH_STORE_LOCK, folder);
	int fd = n > 0 && n < PATH_MAX ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;

	if (fd < 0)
		return kh_error_set(err, KH_EREFUSED, "index_failed", "the folder of the index: %s",
				    strerrordesc_np(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		fd = -1;
	}
	*ret_fd = fd;
	return KH_OK;
}
