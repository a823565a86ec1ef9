/* Content in parts.  All parts of one content are neighbours in their table, because their ids are. */
#include "store/sqlite/apart.h"

#include "base/diskroom.h"

#define PARTS 65536 /* ids of one content */

const char kh_apart_check[] =
	"WITH named (id) AS (SELECT content_at FROM blocks WHERE content_at > 0 UNION ALL"
	" SELECT original_at FROM results WHERE original_at > 0) "
	"SELECT CASE"
	" WHEN EXISTS (SELECT 1 FROM contents WHERE holder = 0 AND id NOT IN (SELECT id FROM named))"
	" THEN 'there is content that no row names'"
	" WHEN EXISTS (SELECT 1 FROM named WHERE id NOT IN (SELECT id FROM contents WHERE holder = 0))"
	" THEN 'a row names content that is not there'"
	" WHEN EXISTS (SELECT 1 FROM named GROUP BY id HAVING count(*) > 1)"
	" THEN 'two rows name the same content'"
	" WHEN EXISTS (SELECT 1 FROM parts WHERE id / 65536 NOT IN (SELECT id FROM contents))"
	" THEN 'there is a part of content that is not there'"
	" ELSE '' END";

static enum kh_err prepare(struct kh_savepoint *s, enum kh_connection_text which, bool writes, sqlite3_stmt **ret_stmt)
{
	enum kh_err e = writes ? kh_savepoint_write(s) : KH_OK;
	int rc = SQLITE_OK;

	if (e == KH_OK && (*ret_stmt = kh_connection_text(s->c, which, &rc)) == NULL)
		e = kh_savepoint_break(s, rc);
	return e;
}

static int bind(sqlite3_stmt *stmt, const int64_t *numbers, int n)
{
	int rc = SQLITE_OK;

	for (int i = 0; i < n && rc == SQLITE_OK; i++)
		rc = sqlite3_bind_int64(stmt, i + 1, numbers[i]);
	return rc;
}

/* Runs a statement that writes, with N numbers; *RET_CHANGED rows were changed. */
static enum kh_err change(struct kh_savepoint *s, enum kh_connection_text which, const int64_t *numbers, int n,
			  int64_t *ret_changed)
{
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = prepare(s, which, true, &stmt);

	if (e == KH_OK)
		e = kh_savepoint_step(s, stmt, bind(stmt, numbers, n));
	if (e == KH_OK)
		*ret_changed = sqlite3_changes(s->c->db);
	return e;
}

/* --- staging ------------------------------------------------------------------------------------------------------ */

/*
 * Whether the disk has room for SIZE bytes, twice: in the log and in the database.  Parts are committed one by one, so
 * if there is none in the end, the file has grown all the same.
 */
static bool has_room(struct kh_savepoint *s, int64_t size)
{
	const char *path = sqlite3_db_filename(s->c->db, "main");
	struct kh_diskroom room;

	if (path == NULL || *path == '\0' || !kh_diskroom_of(path, &room))
		return true;
	return room.free >= room.floor + 2 * (uint64_t)size;
}

enum kh_err kh_apart_new(struct kh_txn *txn, int64_t holder, int64_t size, int64_t *ret_id)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	const int64_t numbers[] = {holder, size};
	int64_t changed = 0;

	if (!has_room(s, size))
		return kh_connection_fail(s->c, SQLITE_FULL, txn->err);
	enum kh_err e = change(s, KH_CONNECTION_CONTENT_NEW, numbers, 2, &changed);

	if (e == KH_OK)
		*ret_id = sqlite3_last_insert_rowid(s->c->db);
	return e;
}

enum kh_err kh_apart_add(struct kh_txn *txn, int64_t id, int64_t part, struct kh_view bytes)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = prepare(s, KH_CONNECTION_CONTENT_ADD, true, &stmt);

	if (e != KH_OK)
		return e;
	int rc = part < PARTS ? sqlite3_bind_int64(stmt, 1, id * PARTS + part) : SQLITE_TOOBIG;
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_blob64(stmt, 2, bytes.p, bytes.n, SQLITE_STATIC);
	e = kh_savepoint_step(s, stmt, rc);
	(void)sqlite3_clear_bindings(stmt); /* the bytes are the caller's */
	return e;
}

/* --- naming ------------------------------------------------------------------------------------------------------- */

struct kh_content *kh_apart_content(const struct kh_savepoint *s, const struct kh_column *c, const void *row)
{
	struct kh_view v;

	if (c->apart == NULL || s->txn.contents == NULL)
		return NULL;
	memcpy(&v, (const char *)row + c->offset, sizeof(v));
	return kh_content_of(s->txn.contents, v);
}

static enum kh_err name(struct kh_savepoint *s, struct kh_content *content)
{
	const int64_t numbers[] = {content->id, content->holder, (int64_t)content->bytes.n};
	int64_t changed = 0;
	enum kh_err e = change(s, KH_CONNECTION_CONTENT_NAME, numbers, 3, &changed);

	if (e == KH_OK && changed != 1) {
		s->txn.broken = true;
		e = s->txn.broken_by = kh_error_set(s->txn.err, KH_ESTORE, "store_refused",
						    "content that was staged is not there, or has been used");
	}
	content->named = e == KH_OK;
	return e;
}

enum kh_err kh_apart_name(struct kh_savepoint *s, const struct kh_record *record, const void *row, uint64_t columns)
{
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < record->count && e == KH_OK && s->txn.contents != NULL; i++) {
		struct kh_content *content = columns >> i & 1 ? kh_apart_content(s, &record->columns[i], row) : NULL;
		if (content != NULL)
			e = name(s, content);
	}
	return e;
}

static bool has_apart(const struct kh_record *record, uint64_t columns)
{
	for (size_t i = 0; i < record->count; i++) {
		if (columns >> i & 1 && record->columns[i].apart != NULL)
			return true;
	}
	return false;
}

enum kh_err kh_apart_replace(struct kh_savepoint *s, enum kh_table table, int64_t id, const void *row, uint64_t columns)
{
	const struct kh_record *record = kh_record_of(table);
	int rc = SQLITE_OK;

	if (!has_apart(record, columns))
		return KH_OK;
	sqlite3_stmt *stmt = kh_connection_row(s->c, KH_CONNECTION_FORGET, table, &rc);
	if (stmt == NULL)
		return kh_savepoint_break(s, rc);
	enum kh_err e = kh_savepoint_step(s, stmt, sqlite3_bind_int64(stmt, 1, id));
	return e == KH_OK ? kh_apart_name(s, record, row, columns) : e;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* The size of content that a row names; 0: there is none. */
static int find_size(struct kh_connection *c, int64_t id, int64_t *ret_size)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *stmt = kh_connection_text(c, KH_CONNECTION_CONTENT_SIZE, &rc);

	if (stmt == NULL)
		return rc;
	*ret_size = 0;
	rc = bind(stmt, &id, 1);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		*ret_size = sqlite3_column_int64(stmt, 0);
	sqlite3_reset(stmt);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Fills SIZE bytes with the parts; *RET_SIZE is how many there are. */
static int join(struct kh_connection *c, int64_t id, char *bytes, size_t size, size_t *ret_size)
{
	const int64_t numbers[] = {id * PARTS, id * PARTS + PARTS - 1};
	size_t n = 0;
	int rc = SQLITE_OK;
	sqlite3_stmt *stmt = kh_connection_text(c, KH_CONNECTION_CONTENT_PARTS, &rc);

	if (stmt == NULL)
		return rc;
	rc = bind(stmt, numbers, 2);
	while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct kh_view part = kh_connection_bytes(stmt, 0);
		rc = part.n <= size - n ? SQLITE_OK : SQLITE_DONE;
		if (rc == SQLITE_OK)
			memcpy(bytes + n, part.p, part.n);
		if (rc == SQLITE_OK)
			n += part.n;
	}
	sqlite3_reset(stmt);
	*ret_size = n;
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int read_content(struct kh_connection *c, int64_t id, struct kh_arena *arena, bool strict, struct kh_view *ret)
{
	int64_t size = 0;
	size_t n = 0;
	int rc = id > 0 && id <= INT64_MAX / PARTS - 1 ? find_size(c, id, &size) : SQLITE_CORRUPT;

	if (rc != SQLITE_OK)
		return rc;
	char *bytes = kh_arena_alloc(arena, (size_t)size);
	if (bytes == NULL)
		return SQLITE_NOMEM;
	rc = join(c, id, bytes, (size_t)size, &n);
	if (rc == SQLITE_OK && strict && (n == 0 || n != (size_t)size))
		return SQLITE_CORRUPT;
	*ret = kh_view_of(bytes, n);
	return rc;
}

int kh_apart_read(struct kh_connection *c, sqlite3_stmt *stmt, const struct kh_record *record, struct kh_arena *arena,
		  bool strict, void *row)
{
	int at = (int)record->count + 1, rc = SQLITE_OK;

	for (size_t i = 0; i < record->count && rc == SQLITE_OK; i++) {
		const struct kh_column *column = &record->columns[i];
		struct kh_view v;
		if (column->apart == NULL)
			continue;
		int64_t id = sqlite3_column_int64(stmt, at++);
		if (id == 0)
			continue;
		rc = read_content(c, id, arena, strict, &v);
		if (rc == SQLITE_OK)
			memcpy((char *)row + column->offset, &v, sizeof(v));
	}
	return rc;
}

/* --- removing ----------------------------------------------------------------------------------------------------- */

enum kh_err kh_apart_next(struct kh_txn *txn, int64_t after, int64_t *ret_id, int64_t *ret_holder)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = prepare(s, KH_CONNECTION_CONTENT_NEXT, false, &stmt);

	if (e != KH_OK)
		return e;
	int rc = bind(stmt, &after, 1);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW) {
		*ret_id = sqlite3_column_int64(stmt, 0);
		*ret_holder = sqlite3_column_int64(stmt, 1);
	}
	sqlite3_reset(stmt);
	if (rc == SQLITE_DONE)
		return KH_EUNKNOWN;
	return rc == SQLITE_ROW ? KH_OK : kh_savepoint_break(s, rc);
}

enum kh_err kh_apart_drop(struct kh_txn *txn, int64_t id, int64_t holder, bool *ret_dropped)
{
	const int64_t numbers[] = {id, holder};
	int64_t changed = 0;
	enum kh_err e = change(kh_savepoint_of(txn), KH_CONNECTION_CONTENT_DROP, numbers, 2, &changed);

	*ret_dropped = e == KH_OK && changed == 1;
	return e;
}

enum kh_err kh_apart_remove(struct kh_txn *txn, int64_t id, int64_t most, bool *ret_more)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	const int64_t numbers[] = {id * PARTS, id * PARTS + PARTS - 1, most};
	int64_t removed = 0, last = 0;
	enum kh_err e = change(s, KH_CONNECTION_CONTENT_REMOVE_PARTS, numbers, 3, &removed);

	*ret_more = e == KH_OK && removed == most;
	return e == KH_OK && !*ret_more ? change(s, KH_CONNECTION_CONTENT_REMOVE, &id, 1, &last) : e;
}
