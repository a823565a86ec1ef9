/* A connection: settings, statements, and how failures of SQLite are classified. */
#include "store/sqlite/connection.h"

#include "base/buf.h"
#include "base/clock.h"

#include <errno.h>
#include <time.h>

#define SQL_LIMIT   8192
#define PATIENCE_MS 10000
#define STEP_US     50 /* the first sleep while another process has the store; doubled up to the longest */
#define LONGEST_US  2000

/* SQLite calls this while another connection holds a lock; it has called COUNT times before.  0: give up. */
static int wait_for_lock(void *arg, int count)
{
	struct kh_connection *c = arg;
	int64_t now = kh_clock_us(), us = count < 6 ? STEP_US << count : LONGEST_US;

	if (count == 0)
		c->waiting_since = now;
	if (now - c->waiting_since > c->patience * 1000)
		return 0;
	struct timespec t = {.tv_nsec = us * 1000};
	nanosleep(&t, NULL);
	return 1;
}

int kh_connection_told(int rc)
{
	bool no_room = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;

	switch (rc) {
	case SQLITE_IOERR_WRITE:
	case SQLITE_IOERR_SHMSIZE:
	case SQLITE_IOERR_SHMOPEN:
	case SQLITE_IOERR_SHMMAP:
		return no_room ? SQLITE_FULL : rc;
	default:
		return rc;
	}
}

bool kh_connection_is_fatal(int rc)
{
	int kind = rc & 0xff;

	if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB)
		return true;
	return kind == SQLITE_IOERR && rc != SQLITE_IOERR_NOMEM;
}

enum kh_err kh_connection_fail(struct kh_connection *c, int rc, struct kh_error *err)
{
	int error = c->db != NULL ? sqlite3_system_errno(c->db) : 0;

	rc = kh_connection_told(rc);
	if (rc == SQLITE_IOERR_NOMEM || rc == SQLITE_NOMEM)
		return kh_error_set(err, KH_ENOMEM, NULL, "out of memory");
	switch (rc & 0xff) {
	case SQLITE_FULL:
		return kh_error_set(err, KH_ESTORE, "store_full", "no room for the store; nothing was recorded");
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return kh_error_set(err, KH_ESTORE, "store_busy", "another process has had the store for too long");
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return kh_error_set(err, KH_ESTORE, "store_corrupt", "the store's file is damaged: %s",
				    sqlite3_errstr(rc));
	case SQLITE_CONSTRAINT:
		return kh_error_set(err, KH_ESTORE, "store_refused", "a constraint of the store: %s",
				    sqlite3_errmsg(c->db));
	case SQLITE_CANTOPEN:
		if (error == ENOENT)
			return kh_error_set(err, KH_ESTORE, "store_missing", "there is no store");
		break;
	default:
		break;
	}
	if (error != 0 && ((rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN))
		return kh_error_set(err, KH_ESTORE, "store_failed", "the store failed: %s: %s", sqlite3_errstr(rc),
				    strerrordesc_np(error));
	return kh_error_set(err, KH_ESTORE, "store_failed", "the store failed: %s", sqlite3_errstr(rc));
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

enum kh_err kh_connection_exec(struct kh_connection *c, const char *sql, struct kh_error *err)
{
	int rc = sqlite3_exec(c->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? KH_OK : kh_connection_fail(c, rc, err);
}

enum kh_err kh_connection_number(struct kh_connection *c, const char *sql, int64_t *ret_number, struct kh_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(c->db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		*ret_number = sqlite3_column_int64(stmt, 0);
	int end = sqlite3_finalize(stmt);
	if (rc == SQLITE_ROW && end == SQLITE_OK)
		return KH_OK;
	return kh_connection_fail(c, rc == SQLITE_ROW ? end : rc == SQLITE_DONE ? SQLITE_CORRUPT : rc, err);
}

static const char durable[] = "PRAGMA foreign_keys = ON;"
			      "PRAGMA synchronous = FULL;"
			      "PRAGMA wal_autocheckpoint = 0;" /* group.c does that */
			      /*
			       * Keeps the journals of savepoints in memory too, because a locked-down gateway cannot
			       * open other files.  It costs five small allocations for each page that a savepoint
			       * keeps.
			       */
			      "PRAGMA temp_store = MEMORY;"
			      "PRAGMA trusted_schema = OFF;";

/* In KiB.  What a reader has cached is void after the next commit of another, so several readers with much of it would
 * only hold memory. */
static const char writer_cache[] = "PRAGMA cache_size = -16384", reader_cache[] = "PRAGMA cache_size = -2048";

/* For scratch databases: they need not be durable, and constraints would only hide faults of what is put in. */
static const char scratch[] = "PRAGMA foreign_keys = OFF;"
			      "PRAGMA ignore_check_constraints = ON;"
			      "PRAGMA journal_mode = MEMORY;"
			      "PRAGMA synchronous = OFF;";

enum kh_err kh_connection_open(struct kh_connection *c, const char *path, enum kh_store_mode mode, struct kh_error *err)
{
	int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;

	memset(c, 0, sizeof(*c));
	c->patience = PATIENCE_MS;
	flags |= mode == KH_STORE_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	if (mode == KH_STORE_SCRATCH)
		flags |= SQLITE_OPEN_CREATE;
	int rc = sqlite3_open_v2(mode == KH_STORE_SCRATCH ? "" : path, &c->db, flags, NULL);
	enum kh_err e = rc == SQLITE_OK ? KH_OK : kh_connection_fail(c, rc, err);
	if (e == KH_OK) {
		sqlite3_db_config(c->db, SQLITE_DBCONFIG_LOOKASIDE, NULL, 1200, 200);
		sqlite3_busy_handler(c->db, wait_for_lock, c);
		sqlite3_db_config(c->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		/* A store has no triggers or views.  If somebody put one into the file, it must not run. */
		sqlite3_db_config(c->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
		sqlite3_db_config(c->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
		e = kh_connection_exec(c, mode == KH_STORE_SCRATCH ? scratch : durable, err);
	}
	if (e == KH_OK)
		e = kh_connection_exec(c, mode == KH_STORE_READ ? reader_cache : writer_cache, err);
	if (e != KH_OK)
		kh_connection_close(c);
	return e;
}

static void finalize(sqlite3_stmt **stmts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sqlite3_finalize(stmts[i]);
		stmts[i] = NULL;
	}
}

void kh_connection_close(struct kh_connection *c)
{
	finalize(c->texts, KH_CONNECTION_TEXT_COUNT);
	for (size_t i = 0; i < KH_CONNECTION_ROW_COUNT; i++)
		finalize(c->rows[i], KH_TABLE_COUNT);
	finalize(c->find, KH_INDEX_COUNT);
	for (size_t i = 0; i < KH_TABLE_COUNT; i++) {
		for (size_t k = 0; k < KH_CONNECTION_UPDATES; k++)
			finalize(&c->update[i][k].stmt, 1);
	}
	sqlite3_close(c->db);
	c->db = NULL;
}

/* --- statements --------------------------------------------------------------------------------------------------- */

#define ENTRY "id, chain, n, prev, at, \"by\", kind, body, hash"

static const char *const texts[KH_CONNECTION_TEXT_COUNT] = {
	[KH_CONNECTION_BEGIN] = "BEGIN IMMEDIATE",
	[KH_CONNECTION_SNAPSHOT] = "BEGIN",
	[KH_CONNECTION_COMMIT] = "COMMIT",
	[KH_CONNECTION_ROLLBACK] = "ROLLBACK",
	[KH_CONNECTION_SAVEPOINT] = "SAVEPOINT operation",
	[KH_CONNECTION_RELEASE] = "RELEASE operation",
	[KH_CONNECTION_ROLLBACK_TO] = "ROLLBACK TO operation",
	[KH_CONNECTION_APPEND_TASK] = ("INSERT INTO task_audits (" ENTRY ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	[KH_CONNECTION_APPEND_SYSTEM] = ("INSERT INTO system_logs (" ENTRY ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	[KH_CONNECTION_VERSION] = "PRAGMA data_version",
	[KH_CONNECTION_LAST_EVENT] = ("SELECT max(ifnull((SELECT max(id) FROM task_audits), 0),"
				      " ifnull((SELECT max(id) FROM system_logs), 0))"),
	[KH_CONNECTION_ENTRY_TASK] = ("SELECT " ENTRY " FROM task_audits WHERE id = ?"),
	[KH_CONNECTION_ENTRY_SYSTEM] = ("SELECT " ENTRY " FROM system_logs WHERE id = ?"),
	[KH_CONNECTION_ADD_CHECKPOINT] = "INSERT INTO checkpoints (id, body, signature) VALUES (?, ?, ?)",
	[KH_CONNECTION_CHECKPOINT] = "SELECT id, body, signature FROM checkpoints WHERE id = ?",
	[KH_CONNECTION_LAST_CHECKPOINT] = "SELECT id, body, signature FROM checkpoints ORDER BY id DESC LIMIT 1",
	[KH_CONNECTION_KEPT_PUT] = ("INSERT INTO kept (kind, key, stream, part, token, until, number, value) "
				    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key, kind, stream, part) DO UPDATE "
				    "SET token = excluded.token, until = excluded.until, number = excluded.number, "
				    "value = excluded.value"),
	[KH_CONNECTION_KEPT_EACH] = ("SELECT part, token, until, number, value FROM kept INDEXED BY kept_by_key "
				     "WHERE kind = ?1 AND key = ?2 AND stream = ?3 AND part > ?4 ORDER BY part"),
	[KH_CONNECTION_KEPT_COUNT] = ("SELECT count(*), (SELECT key FROM kept INDEXED BY kept_of_token WHERE "
				      "kind = ?1 AND token = ?2 ORDER BY until LIMIT 1) "
				      "FROM kept INDEXED BY kept_of_token WHERE kind = ?1 AND token = ?2"),
	[KH_CONNECTION_KEPT_COUNT_ALL] = ("SELECT count(*), (SELECT key FROM kept INDEXED BY kept_of_kind WHERE "
					  "kind = ?1 ORDER BY until LIMIT 1) "
					  "FROM kept INDEXED BY kept_of_kind WHERE kind = ?1"),
	[KH_CONNECTION_KEPT_OF_KEY] = "DELETE FROM kept INDEXED BY kept_by_key WHERE key = ?1",
	[KH_CONNECTION_KEPT_OF_STREAM] = ("DELETE FROM kept INDEXED BY kept_by_key WHERE key = ?1 AND "
					  "kind IN ('event', 'stream') AND stream = ?2"),
	[KH_CONNECTION_KEPT_EVENTS] = ("DELETE FROM kept INDEXED BY kept_by_key WHERE key = ?1 AND kind = 'event' AND "
				       "stream = ?2 AND part < ?3"),
	[KH_CONNECTION_KEPT_OF_TOKEN] = "DELETE FROM kept INDEXED BY kept_of_token WHERE token = ?1",
	[KH_CONNECTION_KEPT_UNTIL] = "DELETE FROM kept INDEXED BY kept_until WHERE until <= ?1",
	[KH_CONNECTION_CONTENT_NEW] = "INSERT INTO contents (holder, size) VALUES (?1, ?2)",
	[KH_CONNECTION_CONTENT_ADD] = "INSERT INTO parts (id, bytes) VALUES (?1, ?2)",
	[KH_CONNECTION_CONTENT_SIZE] = "SELECT size FROM contents WHERE id = ?1 AND holder = 0",
	[KH_CONNECTION_CONTENT_PARTS] = "SELECT bytes FROM parts WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
	[KH_CONNECTION_CONTENT_NAME] = "UPDATE contents SET holder = 0 WHERE id = ?1 AND holder = ?2 AND size = ?3",
	[KH_CONNECTION_CONTENT_NEXT] = ("SELECT id, holder FROM contents INDEXED BY contents_unnamed "
					"WHERE holder <> 0 AND id > ?1 ORDER BY id LIMIT 1"),
	[KH_CONNECTION_CONTENT_DROP] = "UPDATE contents SET holder = -1 WHERE id = ?1 AND holder IN (?2, -1)",
	[KH_CONNECTION_CONTENT_REMOVE_PARTS] = ("DELETE FROM parts WHERE id IN (SELECT id FROM parts "
						"WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3)"),
	[KH_CONNECTION_CONTENT_REMOVE] = "DELETE FROM contents WHERE id = ?1 AND holder = -1",
};

/*
 * Each index (record.h): its table, the database's index that must serve it, its condition.  With INDEXED BY, a
 * statement that would scan the whole table cannot even be prepared.  ?1 is the number, ?2 the text.
 */
#define OPEN_EFFECTS "effects INDEXED BY effects_open WHERE state IN ('waiting', 'begun')"
#define EXPIRED      "expires_at > 0 AND purged_at = 0 AND expires_at <= ?1"
static const char *const finds[KH_INDEX_COUNT] = {
	[KH_INDEX_TOKENS] = "tokens WHERE TRUE",
	[KH_INDEX_TOKENS_READERS] = "tokens INDEXED BY tokens_readers WHERE role = 'reader' AND revoked_at = 0",
	[KH_INDEX_TOKENS_NAMED] = "tokens INDEXED BY tokens_named WHERE name = ?2 AND revoked_at = 0",
	[KH_INDEX_CONTEXTS] = "contexts WHERE TRUE",
	[KH_INDEX_TASKS] = "tasks WHERE TRUE",
	[KH_INDEX_TASKS_OF_CONTEXT] = "tasks INDEXED BY tasks_of_context WHERE context = ?1",
	[KH_INDEX_TASKS_OPEN] = "tasks INDEXED BY tasks_open WHERE context = ?1 AND state = 'open'",
	[KH_INDEX_TASKS_ALL_OPEN] = "tasks INDEXED BY tasks_open WHERE state = 'open'",
	[KH_INDEX_BLOCKS_OF_TASK] = "blocks INDEXED BY blocks_of_task WHERE task = ?1 AND kind = 'sealed' AND told = 0",
	[KH_INDEX_BLOCKS_TOLD] = "blocks INDEXED BY blocks_told WHERE task = ?1 AND told > 0",
	[KH_INDEX_BLOCKS_GIVEN] = "blocks INDEXED BY blocks_given WHERE context = ?1 AND given = 1",
	[KH_INDEX_BLOCKS_OUTPUT] = ("blocks WHERE id = (SELECT max(id) FROM blocks INDEXED BY blocks_outputs "
				    "WHERE context = ?1 AND kind = 'output')"),
	[KH_INDEX_QUERIES_OPEN] = "queries INDEXED BY queries_open WHERE task = ?1 AND state <> 'done'",
	[KH_INDEX_QUERIES_ALL_OPEN] = "queries INDEXED BY queries_open WHERE state <> 'done'",
	[KH_INDEX_QUERIES_COMING] = ("queries INDEXED BY queries_coming WHERE context = ?1 AND state = 'ready' AND "
				     "outcome = 'delivered' AND category > 1"),
	[KH_INDEX_EFFECTS_OPEN] = OPEN_EFFECTS,
	[KH_INDEX_EFFECTS_READER] = (OPEN_EFFECTS " AND reader = ?2 AND state = 'waiting'"),
	[KH_INDEX_EFFECTS_BEGUN] = (OPEN_EFFECTS " AND reader = ?2 AND state = 'begun'"),
	[KH_INDEX_APPROVALS] = "approvals WHERE TRUE",
	[KH_INDEX_APPROVALS_PENDING] = "approvals INDEXED BY approvals_pending WHERE state = 'pending'",
	[KH_INDEX_APPROVALS_UNTOLD] = "approvals INDEXED BY approvals_untold WHERE told_at > 0",
	[KH_INDEX_APPROVALS_OF_TASK] = "approvals INDEXED BY approvals_of_task WHERE task = ?1",
	[KH_INDEX_SHOWINGS] = "showings INDEXED BY showings_of_approval WHERE approval = ?1",
	[KH_INDEX_READERS_NAMED] = "readers INDEXED BY readers_named WHERE name = ?2",
	[KH_INDEX_NEEDS] = "needs INDEXED BY needs_named WHERE task = ?1 AND name = ?2",
	[KH_INDEX_BLOCKS_EXPIRED] = ("blocks INDEXED BY blocks_expiring WHERE " EXPIRED),
	[KH_INDEX_EFFECTS_EXPIRED] = ("effects INDEXED BY effects_expiring WHERE " EXPIRED),
	[KH_INDEX_DECLARATIONS_OF_TASK] = "declarations INDEXED BY declarations_of_task WHERE task = ?1",
	[KH_INDEX_DECLARATIONS_OPEN] = "declarations INDEXED BY declarations_open WHERE task = ?1 AND state <> 'done'",
	[KH_INDEX_DECLARATIONS_ALL_OPEN] = "declarations INDEXED BY declarations_open WHERE state <> 'done'",
	[KH_INDEX_DECLARATIONS_UNTOLD] = ("declarations INDEXED BY declarations_untold WHERE context = ?1 AND "
					  "operation = ?2 AND state IN ('running', 'ready')"),
	[KH_INDEX_DECLARATIONS_WORKING] = "declarations INDEXED BY declarations_working WHERE working = 1",
	[KH_INDEX_DECLARATIONS_OF_APPROVAL] =
		"declarations INDEXED BY declarations_of_approval WHERE approval = ?1 AND approval > 0",
	[KH_INDEX_DECLARATIONS_ASKING] = "declarations INDEXED BY declarations_asking WHERE asks = ?1 AND asks > 0",
	[KH_INDEX_RESULTS_OF_DECLARATION] = "results INDEXED BY results_of_declaration WHERE declaration = ?1",
	[KH_INDEX_RESULTS_EXPIRED] = ("results INDEXED BY results_expiring WHERE " EXPIRED),
	[KH_INDEX_RATES] = "rates INDEXED BY rates_of_context WHERE context = ?1 AND operation = ?2",
	[KH_INDEX_SENT] = "sent INDEXED BY sent_of_token WHERE token = ?1 AND name = ?2",
	[KH_INDEX_SENT_OF_TOKEN] = "sent INDEXED BY sent_of_token WHERE token = ?1",
	[KH_INDEX_UPSTREAMS] = "upstreams WHERE TRUE",
	[KH_INDEX_UPSTREAMS_NAMED] = "upstreams INDEXED BY upstreams_named WHERE name = ?2",
	[KH_INDEX_TOOLS_OF_UPSTREAM] = "tools INDEXED BY tools_of_upstream WHERE upstream = ?1",
	[KH_INDEX_TOOLS_NAMED] = "tools INDEXED BY tools_named WHERE upstream = ?1 AND alias = ?2 AND alias <> ''",
	[KH_INDEX_DEALINGS] = "dealings INDEXED BY dealings_of_context WHERE context = ?1 AND server = ?2",
	[KH_INDEX_DEALINGS_OF_CONTEXT] = "dealings INDEXED BY dealings_of_context WHERE context = ?1",
	[KH_INDEX_DEALINGS_TAINTED] = "dealings INDEXED BY dealings_tainted WHERE server = ?2 AND tainted = 1",
	[KH_INDEX_LEASES] = "leases INDEXED BY leases_of_context WHERE context = ?1 AND server = ?2",
	[KH_INDEX_LEASES_WANTED] = "leases INDEXED BY leases_wanted WHERE holder = ?1 AND wanted = 1",
};

static sqlite3_stmt *prepare(struct kh_connection *c, struct kh_view sql, sqlite3_stmt **slot, int *ret_rc)
{
	*ret_rc = sqlite3_prepare_v3(c->db, sql.p, (int)sql.n, SQLITE_PREPARE_PERSISTENT, slot, NULL);
	return *ret_rc == SQLITE_OK ? *slot : NULL;
}

sqlite3_stmt *kh_connection_text(struct kh_connection *c, enum kh_connection_text which, int *ret_rc)
{
	if (c->texts[which] != NULL)
		return c->texts[which];
	return prepare(c, kh_view_str(texts[which]), &c->texts[which], ret_rc);
}

struct kh_view kh_connection_bytes(sqlite3_stmt *stmt, int at)
{
	const void *p = sqlite3_column_blob(stmt, at);
	int n = sqlite3_column_bytes(stmt, at);

	return kh_view_of(p != NULL ? p : "", n > 0 ? (size_t)n : 0);
}

int kh_connection_step(struct kh_connection *c, enum kh_connection_text which)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *stmt = kh_connection_text(c, which, &rc);

	if (stmt == NULL)
		return rc;
	errno = 0;
	rc = sqlite3_step(stmt);
	if (rc != SQLITE_DONE)
		rc = kh_connection_told(rc);
	sqlite3_reset(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Makes the text of a statement in temporary memory, prepares the statement, and frees the text. */
typedef void write_fn(struct kh_buf *sql, const struct kh_record *record, uint64_t columns);

static sqlite3_stmt *write_and_prepare(struct kh_connection *c, write_fn *write, const struct kh_record *record,
				       uint64_t columns, sqlite3_stmt **slot, int *ret_rc)
{
	struct kh_arena arena;
	struct kh_buf sql;
	struct kh_view text = KH_LIT("");
	sqlite3_stmt *stmt = NULL;

	kh_arena_init(&arena, NULL, 4 * SQL_LIMIT);
	kh_buf_init(&sql, &arena, SQL_LIMIT);
	write(&sql, record, columns);
	if (kh_buf_end(&sql, &text) == KH_OK)
		stmt = prepare(c, text, slot, ret_rc);
	else
		*ret_rc = SQLITE_NOMEM;
	kh_arena_done(&arena);
	return stmt;
}

/* The names; of a sealed column that is not WANTED, an empty value under its name. */
static void write_columns(struct kh_buf *sql, const struct kh_record *record, bool wanted)
{
	for (size_t i = 0; i < record->count; i++) {
		bool is_empty = !wanted && record->columns[i].kind == KH_COLUMN_SEALED;
		kh_buf_printf(sql, is_empty ? ", x'' AS \"%s\"" : ", \"%s\"", record->columns[i].name);
	}
}

/* The columns that name content which is stored apart, of the columns whose bit is set; AFTER follows each name. */
static void write_apart(struct kh_buf *sql, const struct kh_record *record, uint64_t columns, const char *after)
{
	for (size_t i = 0; i < record->count; i++) {
		if (columns >> i & 1 && record->columns[i].apart != NULL)
			kh_buf_printf(sql, ", \"%s\"%s", record->columns[i].apart, after);
	}
}

/* Whether a row that is read whole could be cached: nothing of it is apart, and its sealed columns are short. */
static void write_is_small(struct kh_buf *sql, const struct kh_record *record)
{
	kh_buf_lit(sql, ", 0");
	for (size_t i = 0; i < record->count; i++) {
		if (record->columns[i].kind == KH_COLUMN_SEALED)
			kh_buf_printf(sql, " + length(\"%s\")", record->columns[i].name);
	}
	kh_buf_printf(sql, " <= %d", KH_CACHE_MOST);
	for (size_t i = 0; i < record->count; i++) {
		if (record->columns[i].apart != NULL)
			kh_buf_printf(sql, " AND \"%s\" = 0", record->columns[i].apart);
	}
}

static void write_get(struct kh_buf *sql, const struct kh_record *record, uint64_t wanted)
{
	kh_buf_lit(sql, "SELECT id");
	write_columns(sql, record, wanted != 0);
	if (wanted != 0)
		write_apart(sql, record, UINT64_MAX, "");
	else
		write_is_small(sql, record);
	kh_buf_printf(sql, " FROM %s WHERE id = ?", record->table);
}

static void write_insert(struct kh_buf *sql, const struct kh_record *record, uint64_t wanted)
{
	kh_buf_printf(sql, "INSERT INTO %s (id", record->table);
	write_columns(sql, record, wanted != 0);
	write_apart(sql, record, UINT64_MAX, "");
	kh_buf_lit(sql, ") VALUES (?");
	for (size_t i = 0; i < record->count; i++)
		kh_buf_add(sql, record->columns[i].apart != NULL ? KH_LIT(", ?, ?") : KH_LIT(", ?"));
	kh_buf_lit(sql, ")");
}

static void write_update(struct kh_buf *sql, const struct kh_record *record, uint64_t columns)
{
	const char *comma = "";

	kh_buf_printf(sql, "UPDATE %s SET ", record->table);
	for (size_t i = 0; i < record->count; i++) {
		if (!(columns >> i & 1))
			continue;
		kh_buf_printf(sql, "%s\"%s\" = ?", comma, record->columns[i].name);
		comma = ", ";
	}
	write_apart(sql, record, columns, " = ?");
	kh_buf_lit(sql, " WHERE id = ?");
}

static void write_forget(struct kh_buf *sql, const struct kh_record *record, uint64_t columns)
{
	(void)columns;
	kh_buf_lit(sql, "UPDATE contents SET holder = -1 WHERE holder = 0 AND id IN (SELECT 0");
	for (size_t i = 0; i < record->count; i++) {
		if (record->columns[i].apart != NULL)
			kh_buf_printf(sql, " UNION ALL SELECT \"%s\" FROM %s WHERE id = ?1", record->columns[i].apart,
				      record->table);
	}
	kh_buf_lit(sql, ")");
}

static void write_next_id(struct kh_buf *sql, const struct kh_record *record, uint64_t columns)
{
	(void)columns;
	kh_buf_printf(sql, "SELECT ifnull(max(id), 0) + 1 FROM %s", record->table);
}

static void write_find(struct kh_buf *sql, const struct kh_record *record, uint64_t index)
{
	const char *order = index == KH_INDEX_BLOCKS_TOLD ? "told" : "id";

	(void)record;
	kh_buf_printf(sql, "SELECT id FROM %s AND %s > ?3 ORDER BY %s LIMIT ?4", finds[index], order, order);
}

sqlite3_stmt *kh_connection_row(struct kh_connection *c, enum kh_connection_row which, enum kh_table table, int *ret_rc)
{
	static const struct {
		write_fn *write;
		bool wanted; /* sealed columns */
	} all[KH_CONNECTION_ROW_COUNT] = {
		[KH_CONNECTION_GET] = {write_get, true},        [KH_CONNECTION_PEEK] = {write_get, false},
		[KH_CONNECTION_INSERT] = {write_insert, true},  [KH_CONNECTION_NEXT_ID] = {write_next_id, false},
		[KH_CONNECTION_FORGET] = {write_forget, false},
	};
	sqlite3_stmt **slot = &c->rows[which][table];

	return *slot != NULL
		       ? *slot
		       : write_and_prepare(c, all[which].write, kh_record_of(table), all[which].wanted, slot, ret_rc);
}

sqlite3_stmt *kh_connection_find(struct kh_connection *c, enum kh_index index, int *ret_rc)
{
	sqlite3_stmt **slot = &c->find[index];

	return *slot != NULL ? *slot : write_and_prepare(c, write_find, NULL, index, slot, ret_rc);
}

sqlite3_stmt *kh_connection_update(struct kh_connection *c, enum kh_table table, uint64_t columns, int *ret_rc)
{
	struct kh_connection_update *kept = c->update[table];
	unsigned at = KH_CONNECTION_UPDATES;

	for (unsigned i = 0; i < KH_CONNECTION_UPDATES && at == KH_CONNECTION_UPDATES; i++) {
		if (kept[i].stmt != NULL && kept[i].columns == columns)
			return kept[i].stmt;
		if (kept[i].stmt == NULL)
			at = i;
	}
	if (at == KH_CONNECTION_UPDATES) {
		at = c->replace[table]++ % KH_CONNECTION_UPDATES;
		finalize(&kept[at].stmt, 1);
	}
	kept[at].columns = columns;
	return write_and_prepare(c, write_update, kh_record_of(table), columns, &kept[at].stmt, ret_rc);
}
