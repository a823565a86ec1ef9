/*
 * SQLite, restricted to reading.  Trusts neither the library nor the text of the statement, and the file even less.
 *
 * Every setting is made before the first byte of the file is read.  The authorizer is installed before the statement is
 * prepared, and it also sees what views and defaults of the file call.
 */
#include "worker/sql/query_sqlite.h"

#include "base/clock.h"
#include "wire/sqlrows.h"
#include "worker/sql/sqltext.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAP       (128 << 20) /* bytes of memory for SQLite */
#define VALUE_MAX  (16 << 20)  /* bytes of one value or row: a zeroblob or a printf of more is an error */
#define STEPS      1000        /* of its virtual machine between two checks of the clock */
#define BUSY_MS    2000        /* how long to wait for a lock of another process */
#define WAL_HEADER 100

/* The file's state when it was opened: if it is read without locks, the state must be the same afterwards. */
struct state {
	struct stat file;
	bool wal;
};

struct query {
	struct kh_arena *arena;
	const struct kh_sqljob *job;
	struct kh_error *err;
	sqlite3 *db;
	sqlite3_stmt *statement;
	int64_t deadline_ms;
	bool late;
	const char *path;
	struct kh_view denied; /* the first thing that the authorizer denied, quoted */
};

/* Functions that compute only from their arguments.  VALUE_MAX bounds what they can make of a little text. */
static const struct kh_view functions = KH_LIT_INIT(
	"-> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat concat_ws cos "
	"cosh count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp "
	"first_value floor format glob group_concat hex ifnull iif if instr json json_array json_array_length "
	"json_extract json_group_array json_group_object json_insert json_object json_patch json_quote "
	"json_remove json_replace json_set json_type json_valid julianday lag last_value lead length like "
	"likelihood likely ln log log10 log2 lower ltrim max min mod nth_value ntile nullif octet_length "
	"percent_rank pi pow power printf quote radians random randomblob rank replace round row_number rtrim "
	"sign sin sinh soundex sqrt strftime string_agg substr substring sum tan tanh time timediff total trim "
	"trunc typeof unhex unicode unixepoch unlikely upper zeroblob");

static int on_progress(void *ctx)
{
	struct query *query = ctx;

	query->late = query->late || kh_clock_ms() >= query->deadline_ms;
	return query->late;
}

static bool is_allowed_function(const char *name)
{
	struct kh_view rest = functions, one;

	while (name != NULL && kh_view_split(&rest, ' ', &one))
		if (kh_view_eq_nocase(one, kh_view_str(name)))
			return true;
	return false;
}

static int authorize(void *ctx, int action, const char *first, const char *second, const char *schema, const char *by)
{
	struct query *query = ctx;

	(void)schema;
	(void)by;
	if (action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE ||
	    (action == SQLITE_FUNCTION && is_allowed_function(second)))
		return SQLITE_OK;
	if (query->denied.p == NULL) {
		const char *what = action == SQLITE_FUNCTION ? second : first;

		query->denied = kh_arena_quote(query->arena, kh_view_str(what != NULL ? what : ""));
	}
	return SQLITE_DENY;
}

/* SQLite's message for its last failure, which may quote the file. */
static enum kh_err failed(struct query *query, enum kh_err e, const char *code, const char *what)
{
	struct kh_view said = kh_arena_quote_most(
		query->arena, kh_view_str(query->db != NULL ? sqlite3_errmsg(query->db) : "out of memory"), 160);

	return kh_error_set(query->err, e, code, "%s: %.*s", what, KH_FMT(said));
}

/* The failure of the statement: late, denied, too large, or wrong. */
static enum kh_err statement_failed(struct query *query, int rc)
{
	if (kh_arena_check(query->arena) != KH_OK)
		return KH_ENOMEM;
	if (query->late)
		return kh_error_set(query->err, KH_ELIMIT, "statement_late", "it did not end within %llu seconds",
				    (unsigned long long)query->job->seconds);
	if ((rc & 0xff) == SQLITE_AUTH || query->denied.p != NULL)
		return kh_error_set(query->err, KH_EREFUSED, "statement_refused",
				    "only reading is allowed, and functions that compute: not %.*s",
				    KH_FMT(query->denied));
	if ((rc & 0xff) == SQLITE_NOMEM)
		return kh_error_set(query->err, KH_ELIMIT, "statement_failed", "it needs more memory than it may have");
	return failed(query, KH_EREFUSED, "statement_failed", "SQLite says");
}

static void set_limits(sqlite3 *db)
{
	static const struct {
		int id, value;
	} limits[] = {
		{SQLITE_LIMIT_LENGTH, VALUE_MAX},
		{SQLITE_LIMIT_SQL_LENGTH, 1000000}, /* also of the file's own CREATE statements */
		{SQLITE_LIMIT_COLUMN, KH_SQLROWS_COLUMNS},
		{SQLITE_LIMIT_EXPR_DEPTH, 200},
		{SQLITE_LIMIT_COMPOUND_SELECT, 100},
		{SQLITE_LIMIT_VDBE_OP, 1000000},
		{SQLITE_LIMIT_FUNCTION_ARG, 64},
		{SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
		{SQLITE_LIMIT_VARIABLE_NUMBER, KH_SQLTEXT_VALUES},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 1},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(db, limits[i].id, limits[i].value);
}

/* Options that are switched before the file is read. */
static int set_options(struct query *query)
{
	static const struct {
		int option, value;
	} options[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
		{SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
		{SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
	};
	static const char *keep[] = {"json_each", "json_tree", NULL};
	int rc = SQLITE_OK;

	for (size_t i = 0; rc == SQLITE_OK && i < sizeof(options) / sizeof(options[0]); i++)
		rc = sqlite3_db_config(query->db, options[i].option, options[i].value, (int *)NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_drop_modules(query->db, keep);
	set_limits(query->db);
	sqlite3_progress_handler(query->db, STEPS, on_progress, query);
	if (rc == SQLITE_OK)
		rc = sqlite3_busy_timeout(query->db, BUSY_MS);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(query->db,
				  "PRAGMA query_only=ON; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;"
				  "PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF;",
				  NULL, NULL, NULL);
	return rc;
}

static void close_database(struct query *query)
{
	sqlite3_finalize(query->statement);
	sqlite3_close(query->db);
	query->statement = NULL;
	query->db = NULL;
}

/* The modules that are allowed declare their columns when they are first named, and the authorizer would take that for
 * making a table.  They are only named, not run, because a hostile file may have something else of that name. */
static void meet_modules(sqlite3 *db)
{
	sqlite3_stmt *unused = NULL;

	sqlite3_prepare_v2(db, "SELECT 1 FROM json_each('[]'), json_tree('[]')", -1, &unused, NULL);
	sqlite3_finalize(unused);
}

/* Opens NAME and reads its schema, which is the first read of the file. */
static int open_as(struct query *query, const char *name, int flags)
{
	int rc = sqlite3_open_v2(name, &query->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_EXRESCODE | flags, NULL);

	if (rc == SQLITE_OK)
		rc = set_options(query);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(query->db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		meet_modules(query->db);
	return rc;
}

/* PATH with SUFFIX, for files beside the database. */
static const char *beside(struct query *query, const char *suffix)
{
	struct kh_view path = kh_arena_printf(query->arena, "%s%s", query->path, suffix);

	return path.p != NULL ? kh_sqljob_text(query->arena, path) : NULL;
}

static bool look_at(struct query *query, struct state *ret_state)
{
	const char *wal = beside(query, "-wal");
	struct stat st;

	ret_state->wal = wal != NULL && stat(wal, &st) == 0 && st.st_size > 0;
	return wal != NULL && stat(query->path, &ret_state->file) == 0;
}

static bool same(const struct state *a, const struct state *b)
{
	return a->wal == b->wal && a->file.st_ino == b->file.st_ino && a->file.st_size == b->file.st_size &&
	       a->file.st_mtim.tv_sec == b->file.st_mtim.tv_sec && a->file.st_mtim.tv_nsec == b->file.st_mtim.tv_nsec;
}

/* True if the file's header says WAL. */
static bool in_wal_mode(const char *path)
{
	unsigned char header[WAL_HEADER];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, header, sizeof(header));

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof(header) && header[18] == 2 && header[19] == 2;
}

/* The path as a URI that declares that nobody writes. */
static const char *immutable_uri(struct query *query)
{
	struct kh_view path = query->job->file, uri;
	struct kh_buf buf;

	kh_buf_init(&buf, query->arena, 3 * path.n + 64);
	kh_buf_lit(&buf, "file:");
	kh_buf_percent(&buf, path, "/_-");
	kh_buf_lit(&buf, "?immutable=1");
	return kh_buf_end(&buf, &uri) == KH_OK ? kh_sqljob_text(query->arena, uri) : NULL;
}

/* Opens a file in WAL mode that could not be opened because its -shm may not be made. */
static enum kh_err open_still(struct query *query, const struct state *state, bool *ret_still)
{
	const char *uri = immutable_uri(query);

	if (uri == NULL)
		return KH_ENOMEM;
	if (state->wal)
		return kh_error_set(query->err, KH_EREFUSED, "database_failed",
				    "its log (-wal) waits to be read by a program that may write: open it with one, "
				    "or grant its -shm");
	close_database(query);
	*ret_still = true;
	int rc = open_as(query, uri, SQLITE_OPEN_URI);
	return rc == SQLITE_OK ? KH_OK : failed(query, KH_EREFUSED, "database_failed", "SQLite says");
}

static enum kh_err open_database(struct query *query, struct state *ret_state, bool *ret_still)
{
	bool there = look_at(query, ret_state);

	*ret_still = false;
	if (kh_arena_check(query->arena) != KH_OK)
		return KH_ENOMEM;
	if (!there)
		return kh_error_set(query->err, KH_EREFUSED, "database_failed", "the file is not there: %s",
				    strerrordesc_np(errno));
	if (!S_ISREG(ret_state->file.st_mode))
		return kh_error_set(query->err, KH_EREFUSED, "database_failed", "it is not a file");
	int rc = open_as(query, query->path, 0);
	if (rc == SQLITE_OK)
		return KH_OK;
	if (query->late)
		return statement_failed(query, rc);
	if (((rc & 0xff) == SQLITE_CANTOPEN || (rc & 0xff) == SQLITE_READONLY) && in_wal_mode(query->path))
		return open_still(query, ret_state, ret_still);
	if (rc == SQLITE_READONLY_ROLLBACK)
		return kh_error_set(query->err, KH_EREFUSED, "database_failed",
				    "a writer left a journal that waits to be rolled back by a program that may write");
	return failed(query, KH_EREFUSED, "database_failed", "SQLite says");
}

static enum kh_err prepare(struct query *query)
{
	const char *tail = NULL;

	if (sqlite3_set_authorizer(query->db, authorize, query) != SQLITE_OK)
		return KH_ENOMEM;
	int rc = sqlite3_prepare_v2(query->db, query->job->sql.p, (int)query->job->sql.n, &query->statement, &tail);
	if (rc != SQLITE_OK)
		return statement_failed(query, rc);
	/* A semicolon ends it: kh_sqltext_check() has seen that only blanks follow. */
	if (query->statement == NULL || !sqlite3_stmt_readonly(query->statement) ||
	    sqlite3_stmt_isexplain(query->statement) || sqlite3_column_count(query->statement) == 0)
		return kh_error_set(query->err, KH_EREFUSED, "statement_refused", "it is not one that only reads");
	return KH_OK;
}

static enum kh_err wrong(struct query *query, const char *why, int at)
{
	return kh_error_set(query->err, KH_EREFUSED, "parameters_wrong", "%s (the statement's parameter %d)", why, at);
}

static int bind_value(struct query *query, int at, yyjson_val *value)
{
	struct kh_view text;
	int64_t number;

	if (yyjson_is_null(value))
		return sqlite3_bind_null(query->statement, at);
	if (yyjson_is_bool(value))
		return sqlite3_bind_int(query->statement, at, yyjson_get_bool(value));
	if (kh_json_int(value, &number))
		return sqlite3_bind_int64(query->statement, at, number);
	if (yyjson_is_num(value))
		return sqlite3_bind_double(query->statement, at, yyjson_get_num(value));
	text = kh_json_str(value);
	return sqlite3_bind_text(query->statement, at, text.p, (int)text.n, SQLITE_STATIC);
}

/* The value for parameter AT (from 1); NULL if there is none. */
static yyjson_val *value_for(struct query *query, int at)
{
	yyjson_val *params = query->job->params;
	const char *name = sqlite3_bind_parameter_name(query->statement, at);

	if (yyjson_is_obj(params))
		return name != NULL ? yyjson_obj_get(params, name + 1) : NULL;
	return params != NULL ? yyjson_arr_get(params, (size_t)at - 1) : NULL;
}

static enum kh_err bind(struct query *query)
{
	int count = sqlite3_bind_parameter_count(query->statement);
	size_t given = query->job->params != NULL ? yyjson_get_len(query->job->params) : 0;

	for (int at = 1; at <= count; at++) {
		yyjson_val *value = value_for(query, at);
		if (value == NULL)
			return wrong(query, "no value is given", at);
		int rc = bind_value(query, at, value);
		if (rc != SQLITE_OK)
			return wrong(query, "the value cannot be bound", at);
	}
	if (given > (size_t)count)
		return kh_error_set(query->err, KH_EREFUSED, "parameters_wrong",
				    "%zu values are given, and the statement has %d parameters", given, count);
	return KH_OK;
}

static void put_value(struct query *query, struct kh_sqlrows *rows, int column)
{
	sqlite3_stmt *statement = query->statement;

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		kh_sqlrows_int(rows, sqlite3_column_int64(statement, column));
		break;
	case SQLITE_FLOAT:
		kh_sqlrows_real(rows, sqlite3_column_double(statement, column));
		break;
	case SQLITE_TEXT: {
		const char *text = (const char *)sqlite3_column_text(statement, column);
		int n = sqlite3_column_bytes(statement, column);
		kh_sqlrows_text(rows, kh_view_of(text, text != NULL ? (size_t)n : 0));
		break;
	}
	case SQLITE_BLOB: {
		const char *bytes = sqlite3_column_blob(statement, column);
		int n = sqlite3_column_bytes(statement, column);
		kh_sqlrows_blob(rows, kh_view_of(bytes, bytes != NULL ? (size_t)n : 0));
		break;
	}
	default:
		kh_sqlrows_null(rows);
	}
}

static enum kh_err read_rows(struct query *query, struct kh_sqlrows *rows)
{
	int columns = sqlite3_column_count(query->statement), rc;

	for (int i = 0; i < columns; i++) {
		const char *name = sqlite3_column_name(query->statement, i);
		kh_sqlrows_column(rows, kh_view_str(name != NULL ? name : ""));
	}
	while ((rc = sqlite3_step(query->statement)) == SQLITE_ROW) {
		if (!kh_sqlrows_begin(rows))
			return KH_OK;
		for (int i = 0; i < columns; i++)
			put_value(query, rows, i);
		if (!kh_sqlrows_end(rows))
			return KH_OK;
	}
	return rc == SQLITE_DONE ? KH_OK : statement_failed(query, rc);
}

static enum kh_err run(struct query *query, struct kh_view *ret_json)
{
	struct state before, after;
	struct kh_sqlrows rows;
	bool still;
	enum kh_err e = open_database(query, &before, &still);

	if (e == KH_OK)
		e = prepare(query);
	if (e == KH_OK)
		e = bind(query);
	kh_sqlrows_init(&rows, query->arena, query->job->rows, query->job->bytes);
	if (e == KH_OK)
		e = read_rows(query, &rows);
	if (e == KH_OK && still && !(look_at(query, &after) && same(&before, &after)))
		e = kh_error_set(query->err, KH_EREFUSED, "database_failed",
				 "somebody wrote to the file while it was read: try again");
	return e != KH_OK ? e : kh_sqlrows_json(&rows, ret_json, query->err);
}

enum kh_err kh_query_sqlite_run(struct kh_arena *arena, const struct kh_sqljob *job, struct kh_view *ret_json,
				struct kh_error *err)
{
	struct query query = {.arena = arena, .job = job, .err = err};

	query.path = kh_sqljob_text(arena, job->file);
	if (query.path == NULL)
		return KH_ENOMEM;
	query.deadline_ms = kh_clock_ms() + (int64_t)job->seconds * 1000;
	enum kh_err e = run(&query, ret_json);
	close_database(&query);
	return e;
}

void kh_query_sqlite_bound(void)
{
	sqlite3_hard_heap_limit64(HEAP);
}
