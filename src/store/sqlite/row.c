/*
 * Rows: binds columns as parameters and reads results into columns, as the record tables say.
 *
 * Views are bound without a copy, because the statement runs before the caller gets its row back.
 */
#include "store/sqlite/row.h"

#include "store/sqlite/apart.h"

/* For a column that is not what its record says: the schema prevents that, so the file was changed from outside. */
static int bad_column(void)
{
	return SQLITE_CORRUPT;
}

static int bind_column(sqlite3_stmt *stmt, int at, const struct kh_column *c, const void *row)
{
	const char *from = (const char *)row + c->offset;
	struct kh_view v;
	int64_t number;
	unsigned word;

	switch (c->kind) {
	case KH_COLUMN_INT:
		memcpy(&number, from, sizeof(number));
		return sqlite3_bind_int64(stmt, at, number);
	case KH_COLUMN_WORD:
		memcpy(&word, from, sizeof(word));
		if (word >= c->words->n || c->words->at[word] == NULL)
			return SQLITE_CONSTRAINT;
		return sqlite3_bind_text(stmt, at, c->words->at[word], -1, SQLITE_STATIC);
	case KH_COLUMN_TEXT:
		memcpy(&v, from, sizeof(v));
		return sqlite3_bind_text64(stmt, at, v.n > 0 ? v.p : "", v.n, SQLITE_STATIC, SQLITE_UTF8);
	case KH_COLUMN_SEALED:
		memcpy(&v, from, sizeof(v));
		return sqlite3_bind_blob64(stmt, at, v.n > 0 ? v.p : "", v.n, SQLITE_STATIC);
	case KH_COLUMN_DIGEST:
		return sqlite3_bind_blob(stmt, at, from, KH_DIGEST_SIZE, SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

/* Binds the columns of ROW whose bit is set, from *AT on, and then what names their content if it is apart. */
static int bind_columns(const struct kh_savepoint *s, sqlite3_stmt *stmt, const struct kh_record *record,
			const void *row, uint64_t columns, int *at)
{
	bool apart = false;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < record->count && rc == SQLITE_OK; i++) {
		const struct kh_column *c = &record->columns[i];
		if (!(columns >> i & 1))
			continue;
		apart = apart || c->apart != NULL;
		rc = c->apart != NULL && kh_apart_content(s, c, row) != NULL
			     ? sqlite3_bind_blob(stmt, *at, "", 0, SQLITE_STATIC)
			     : bind_column(stmt, *at, c, row);
		++*at;
	}
	for (size_t i = 0; apart && i < record->count && rc == SQLITE_OK; i++) {
		const struct kh_column *c = &record->columns[i];
		if (!(columns >> i & 1) || c->apart == NULL)
			continue;
		const struct kh_content *content = kh_apart_content(s, c, row);
		rc = sqlite3_bind_int64(stmt, (*at)++, content != NULL ? content->id : 0);
	}
	return rc;
}

/* ARENA NULL: views borrow from the statement. */
static int read_column(sqlite3_stmt *stmt, int at, const struct kh_column *c, struct kh_arena *arena, void *row)
{
	char *to = (char *)row + c->offset;
	struct kh_view v;

	if (c->kind == KH_COLUMN_INT) {
		int64_t number = sqlite3_column_int64(stmt, at);
		memcpy(to, &number, sizeof(number));
		return SQLITE_OK;
	}
	v = kh_connection_bytes(stmt, at);
	if (c->kind == KH_COLUMN_WORD) {
		unsigned word;
		if (!kh_words_parse(c->words, v, &word))
			return bad_column();
		memcpy(to, &word, sizeof(word));
		return SQLITE_OK;
	}
	if (c->kind == KH_COLUMN_DIGEST) {
		if (v.n != KH_DIGEST_SIZE)
			return bad_column();
		memcpy(to, v.p, v.n);
		return SQLITE_OK;
	}
	if (arena != NULL)
		v = v.n > 0 ? kh_arena_dup(arena, v) : KH_LIT("");
	if (v.p == NULL)
		return SQLITE_NOMEM;
	memcpy(to, &v, sizeof(v));
	return SQLITE_OK;
}

/* A row of a statement KH_CONNECTION_GET or _PEEK: id, then the columns in their order. */
static int read_row(sqlite3_stmt *stmt, const struct kh_record *record, struct kh_arena *arena, void *row)
{
	int64_t id = sqlite3_column_int64(stmt, 0);
	int rc = SQLITE_OK;

	memcpy(row, &id, sizeof(id));
	for (size_t i = 0; i < record->count && rc == SQLITE_OK; i++)
		rc = read_column(stmt, (int)i + 1, &record->columns[i], arena, row);
	return rc;
}

/* Reads the row by a statement of the connection.  *RET_SMALL, set by a peek: it is short with its sealed columns. */
static enum kh_err read_by(struct kh_savepoint *s, enum kh_connection_row which, enum kh_table table, int64_t id,
			   void *ret_row, bool *ret_small)
{
	struct kh_arena *arena = s->txn.arena;
	int rc = SQLITE_OK;
	sqlite3_stmt *stmt = kh_connection_row(s->c, which, table, &rc);

	if (stmt == NULL)
		return kh_savepoint_break(s, rc);
	rc = sqlite3_bind_int64(stmt, 1, id);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	bool found = rc == SQLITE_ROW;
	if (found)
		rc = read_row(stmt, kh_record_of(table), arena, ret_row);
	if (found && rc == SQLITE_OK && which == KH_CONNECTION_GET)
		rc = kh_apart_read(s->c, stmt, kh_record_of(table), arena, true, ret_row);
	if (found && which == KH_CONNECTION_PEEK)
		*ret_small = sqlite3_column_int(stmt, (int)kh_record_of(table)->count + 1) != 0;
	if (!found && rc == SQLITE_DONE)
		rc = SQLITE_OK;
	sqlite3_reset(stmt);
	if (rc == SQLITE_NOMEM && arena->failed)
		return KH_ENOMEM; /* the operation's own arena is full: nothing is wrong with the database */
	if (rc != SQLITE_OK)
		return kh_savepoint_break(s, rc);
	return found ? KH_OK : KH_EUNKNOWN;
}

static bool is_cached(struct kh_savepoint *s, enum kh_table table, int64_t id, bool peek, void *ret_row)
{
	struct kh_arena *arena = s->txn.arena;

	return s->others != NULL ? kh_cache_get(s->others, KH_CACHE_OTHER, table, id, peek, arena, ret_row)
				 : kh_cache_get(s->c->cache, KH_CACHE_STORE, table, id, peek, arena, ret_row);
}

/* For one who reads what is in memory only. */
static enum kh_err fail_kept(struct kh_savepoint *s)
{
	s->txn.broken = true;
	s->txn.broken_by = kh_error_set(s->txn.err, KH_ESTORE, "store_busy", "a row is not in memory");
	return s->txn.broken_by;
}

enum kh_err kh_row_get(struct kh_txn *txn, enum kh_table table, int64_t id, void *ret_row)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);

	if (is_cached(s, table, id, false, ret_row))
		return KH_OK;
	if (s->kept)
		return fail_kept(s);
	enum kh_err e = read_by(s, KH_CONNECTION_GET, table, id, ret_row, NULL);
	if (e == KH_OK)
		kh_cache_put(s->c->cache, table, ret_row, false);
	return e;
}

static void leave_sealed_out(const struct kh_record *record, void *row)
{
	const struct kh_view empty = KH_LIT("");

	for (size_t i = 0; i < record->count; i++) {
		if (record->columns[i].kind == KH_COLUMN_SEALED)
			memcpy((char *)row + record->columns[i].offset, &empty, sizeof(empty));
	}
}

enum kh_err kh_row_peek(struct kh_txn *txn, enum kh_table table, int64_t id, void *ret_row)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	bool small = false;

	if (is_cached(s, table, id, true, ret_row))
		return KH_OK;
	if (s->kept)
		return fail_kept(s);
	enum kh_err e = read_by(s, KH_CONNECTION_PEEK, table, id, ret_row, &small);
	if (e != KH_OK || s->c->cache == NULL)
		return e;
	if (!small) {
		kh_cache_put(s->c->cache, table, ret_row, true);
		return KH_OK;
	}
	/* Who peeks at a row will often read its content soon, on another thread: from the cache, if it is there. */
	e = kh_row_get(txn, table, id, ret_row);
	if (e == KH_OK)
		leave_sealed_out(kh_record_of(table), ret_row);
	return e;
}

enum kh_err kh_row_insert(struct kh_txn *txn, enum kh_table table, const void *row)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	const struct kh_record *record = kh_record_of(table);
	enum kh_err e = kh_savepoint_write(s);
	int rc = SQLITE_OK, at = 2;
	int64_t id;

	if (e == KH_OK)
		e = kh_apart_name(s, record, row, UINT64_MAX);
	if (e != KH_OK)
		return e;
	sqlite3_stmt *stmt = kh_connection_row(s->c, KH_CONNECTION_INSERT, table, &rc);
	if (stmt == NULL)
		return kh_savepoint_break(s, rc);
	memcpy(&id, row, sizeof(id));
	rc = sqlite3_bind_int64(stmt, 1, id);
	if (rc == SQLITE_OK)
		rc = bind_columns(s, stmt, record, row, UINT64_MAX, &at);
	e = kh_savepoint_step(s, stmt, rc);
	if (e == KH_OK)
		kh_cache_put(s->c->cache, table, row, false);
	return e;
}

enum kh_err kh_row_update(struct kh_txn *txn, enum kh_table table, const void *row, uint64_t changed)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	const struct kh_record *record = kh_record_of(table);
	enum kh_err e = kh_savepoint_write(s);
	int rc = SQLITE_OK, at = 1;
	int64_t id;

	if (e != KH_OK || changed == 0)
		return e;
	memcpy(&id, row, sizeof(id));
	e = kh_apart_replace(s, table, id, row, changed);
	if (e != KH_OK)
		return e;
	sqlite3_stmt *stmt = kh_connection_update(s->c, table, changed, &rc);
	if (stmt == NULL)
		return kh_savepoint_break(s, rc);
	rc = bind_columns(s, stmt, record, row, changed, &at);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(stmt, at, id);
	e = kh_savepoint_step(s, stmt, rc);
	if (e == KH_OK && sqlite3_changes(s->c->db) != 1)
		return kh_savepoint_break(s, SQLITE_CORRUPT); /* the row was loaded, and rows are never removed */
	if (e == KH_OK)
		kh_cache_update(s->c->cache, table, row, changed);
	return e;
}

/* This transaction holds the only write lock, so nobody else can have changed what it has read once. */
enum kh_err kh_row_next_id(struct kh_txn *txn, enum kh_table table, int64_t *ret_id)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	int rc = SQLITE_ROW;

	if (s->next[table] == 0) {
		sqlite3_stmt *stmt = kh_connection_row(s->c, KH_CONNECTION_NEXT_ID, table, &rc);
		if (stmt == NULL)
			return kh_savepoint_break(s, rc);
		rc = sqlite3_step(stmt);
		if (rc == SQLITE_ROW)
			s->next[table] = sqlite3_column_int64(stmt, 0);
		sqlite3_reset(stmt);
	}
	if (rc != SQLITE_ROW)
		return kh_savepoint_break(s, rc);
	*ret_id = s->next[table]++;
	return KH_OK;
}

static enum kh_err search(struct kh_savepoint *s, enum kh_index index, int64_t key, struct kh_view text, int64_t after,
			  size_t limit, int64_t *ids, size_t *ret_count)
{
	size_t count = 0;
	int rc = SQLITE_OK;
	sqlite3_stmt *stmt = kh_connection_find(s->c, index, &rc);

	if (stmt == NULL)
		return kh_savepoint_break(s, rc);
	/* The statement may not use the first two of the four parameters; binding those fails, which does no harm. */
	(void)sqlite3_bind_int64(stmt, 1, key);
	(void)sqlite3_bind_text64(stmt, 2, text.n > 0 ? text.p : "", text.n, SQLITE_STATIC, SQLITE_UTF8);
	rc = sqlite3_bind_int64(stmt, 3, after);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(stmt, 4, limit > INT64_MAX ? INT64_MAX : (int64_t)limit);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	while (rc == SQLITE_ROW && count < limit) {
		ids[count++] = sqlite3_column_int64(stmt, 0);
		rc = count < limit ? sqlite3_step(stmt) : SQLITE_DONE;
	}
	sqlite3_reset(stmt);
	if (rc != SQLITE_DONE)
		return kh_savepoint_break(s, rc == SQLITE_ROW ? SQLITE_CORRUPT : rc);
	*ret_count = count;
	return KH_OK;
}

/* Whether the columns of INDEX never change: the name of a Reader; task and name of what was asked about. */
static bool is_lasting(enum kh_index index)
{
	return index == KH_INDEX_READERS_NAMED || index == KH_INDEX_NEEDS;
}

enum kh_err kh_row_find(struct kh_txn *txn, enum kh_index index, int64_t key, struct kh_view text, int64_t after,
			size_t limit, int64_t *ids, size_t *ret_count)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	bool first = is_lasting(index) && after == 0 && limit == 1;
	int64_t found = 0;

	if (first)
		found = s->others != NULL ? kh_cache_found(s->others, KH_CACHE_OTHER, index, key, text)
					  : kh_cache_found(s->c->cache, KH_CACHE_STORE, index, key, text);
	if (found != 0) {
		ids[0] = found;
		*ret_count = 1;
		return KH_OK;
	}
	if (s->kept)
		return fail_kept(s);
	enum kh_err e = search(s, index, key, text, after, limit, ids, ret_count);
	if (e == KH_OK && first && *ret_count == 1)
		kh_cache_put_found(s->c->cache, index, key, text, ids[0]);
	return e;
}

/* Reading all rows needs a statement of its own, because FN may read others meanwhile. */
static int prepare_each(struct kh_savepoint *s, enum kh_table table, sqlite3_stmt **ret_stmt)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *get = kh_connection_row(s->c, KH_CONNECTION_GET, table, &rc);

	if (get == NULL)
		return rc;
	/* "... WHERE id = ?" without its last part. */
	const char *sql = sqlite3_sql(get), *where = strstr(sql, " WHERE ");
	if (where == NULL)
		return SQLITE_MISUSE;
	return sqlite3_prepare_v2(s->c->db, sql, (int)(where - sql), ret_stmt, NULL);
}

enum kh_err kh_row_each(struct kh_txn *txn, enum kh_table table, bool (*fn)(const void *row, void *arg), void *arg)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	const struct kh_record *record = kh_record_of(table);
	sqlite3_stmt *stmt = NULL;
	bool more = true;
	struct kh_arena arena; /* for content that is put together */
	void *row = kh_alloc_zero(&kh_alloc_system, record->size);

	if (row == NULL)
		return KH_ENOMEM;
	kh_arena_init(&arena, NULL, SIZE_MAX / 2);
	int rc = prepare_each(s, table, &stmt);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	while (rc == SQLITE_ROW && more) {
		rc = read_row(stmt, record, NULL, row);
		if (rc == SQLITE_OK) /* if a part is missing, the comparison will find that */
			rc = kh_apart_read(s->c, stmt, record, &arena, false, row);
		if (rc != SQLITE_OK)
			break;
		more = fn(row, arg);
		kh_arena_clear(&arena);
		rc = more ? sqlite3_step(stmt) : SQLITE_DONE;
	}
	sqlite3_finalize(stmt);
	kh_arena_done(&arena);
	kh_alloc_free(&kh_alloc_system, row, record->size);
	return rc == SQLITE_DONE ? KH_OK : kh_savepoint_break(s, rc);
}

/* Runs SQL whose result is one text, and hands out the text if it is not OK. */
static enum kh_err ask(struct kh_savepoint *s, const char *sql, struct kh_view ok, struct kh_view *ret_why)
{
	struct kh_view why = KH_LIT("");
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(s->c->db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW && !kh_view_eq(kh_connection_bytes(stmt, 0), ok))
		why = kh_arena_dup(s->txn.arena, kh_connection_bytes(stmt, 0));
	sqlite3_finalize(stmt);
	if (rc != SQLITE_ROW)
		return kh_savepoint_break(s, rc == SQLITE_DONE ? SQLITE_CORRUPT : rc);
	if (why.p == NULL)
		return KH_ENOMEM;
	*ret_why = why;
	return KH_OK;
}

enum kh_err kh_row_agree(struct kh_txn *txn, struct kh_view *ret_why)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	enum kh_err e = ask(s, "PRAGMA integrity_check(1)", KH_LIT("ok"), ret_why);

	/* Content that counts as named and that no row names would outlive its retention. */
	if (e == KH_OK && ret_why->n == 0)
		e = ask(s, kh_apart_check, KH_LIT(""), ret_why);
	return e;
}
