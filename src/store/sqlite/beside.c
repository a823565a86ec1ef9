/* Rows beside the record: put, found, counted, removed.  Every statement is served by one of the table's indexes. */
#include "store/sqlite/beside.h"

static int bind_word(sqlite3_stmt *stmt, int at, enum kh_kept_kind kind)
{
	return sqlite3_bind_text(stmt, at, kh_words_name(&kh_kept_words, kind), -1, SQLITE_STATIC);
}

static int bind_key(sqlite3_stmt *stmt, int at, const struct kh_digest *key)
{
	return sqlite3_bind_blob(stmt, at, key->bytes, KH_DIGEST_SIZE, SQLITE_STATIC);
}

/* Binds N numbers from AT on, if RC is SQLITE_OK. */
static int bind_numbers(sqlite3_stmt *stmt, int at, const int64_t *numbers, int n, int rc)
{
	for (int i = 0; i < n && rc == SQLITE_OK; i++)
		rc = sqlite3_bind_int64(stmt, at + i, numbers[i]);
	return rc;
}

static enum kh_err prepare(struct kh_savepoint *s, enum kh_connection_text which, bool writes, sqlite3_stmt **ret_stmt)
{
	enum kh_err e = writes ? kh_savepoint_write(s) : KH_OK;
	int rc = SQLITE_OK;

	if (e == KH_OK && (*ret_stmt = kh_connection_text(s->c, which, &rc)) == NULL)
		e = kh_savepoint_break(s, rc);
	return e;
}

enum kh_err kh_beside_put(struct kh_txn *txn, const struct kh_kept *row)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	const int64_t numbers[] = {row->stream, row->part, row->token, row->until, row->number};
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = prepare(s, KH_CONNECTION_KEPT_PUT, true, &stmt);

	if (e != KH_OK)
		return e;
	int rc = bind_word(stmt, 1, row->kind);
	if (rc == SQLITE_OK)
		rc = bind_key(stmt, 2, &row->key);
	rc = bind_numbers(stmt, 3, numbers, 5, rc);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_blob64(stmt, 8, row->value.n > 0 ? row->value.p : "", row->value.n, SQLITE_STATIC);
	return kh_savepoint_step(s, stmt, rc);
}

enum kh_err kh_beside_each(struct kh_txn *txn, const struct kh_kept *of, int64_t after, kh_kept_fn *fn, void *arg)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	const int64_t numbers[] = {of->stream, after};
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = prepare(s, KH_CONNECTION_KEPT_EACH, false, &stmt);
	bool goes_on = true;

	if (e != KH_OK)
		return e;
	int rc = bind_word(stmt, 1, of->kind);
	if (rc == SQLITE_OK)
		rc = bind_key(stmt, 2, &of->key);
	rc = bind_numbers(stmt, 3, numbers, 2, rc);
	while (rc == SQLITE_OK && goes_on && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct kh_kept row = {.kind = of->kind,
				      .key = of->key,
				      .stream = of->stream,
				      .part = sqlite3_column_int64(stmt, 0),
				      .token = sqlite3_column_int64(stmt, 1),
				      .until = sqlite3_column_int64(stmt, 2),
				      .number = sqlite3_column_int64(stmt, 3),
				      .value = kh_connection_bytes(stmt, 4)};
		goes_on = fn(&row, arg);
		rc = SQLITE_OK;
	}
	sqlite3_reset(stmt);
	return rc == SQLITE_OK || rc == SQLITE_DONE ? KH_OK : kh_savepoint_break(s, rc);
}

enum kh_err kh_beside_count(struct kh_txn *txn, enum kh_kept_kind kind, int64_t token, int64_t *ret_count,
			    struct kh_digest *ret_first)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = prepare(s, token != 0 ? KH_CONNECTION_KEPT_COUNT : KH_CONNECTION_KEPT_COUNT_ALL, false, &stmt);

	if (e != KH_OK)
		return e;
	int rc = bind_word(stmt, 1, kind);
	if (rc == SQLITE_OK && token != 0)
		rc = sqlite3_bind_int64(stmt, 2, token);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	struct kh_view key = rc == SQLITE_ROW ? kh_connection_bytes(stmt, 1) : KH_LIT("");
	if (rc == SQLITE_ROW) {
		*ret_count = sqlite3_column_int64(stmt, 0);
		*ret_first = (struct kh_digest){{0}};
		if (key.n == KH_DIGEST_SIZE)
			memcpy(ret_first->bytes, key.p, key.n);
	}
	sqlite3_reset(stmt);
	return rc == SQLITE_ROW ? KH_OK : kh_savepoint_break(s, rc);
}

enum kh_err kh_beside_remove(struct kh_txn *txn, enum kh_kept_range range, const struct kh_kept *of)
{
	static const enum kh_connection_text texts[KH_KEPT_RANGES] = {
		[KH_KEPT_OF_KEY] = KH_CONNECTION_KEPT_OF_KEY, [KH_KEPT_OF_STREAM] = KH_CONNECTION_KEPT_OF_STREAM,
		[KH_KEPT_EVENTS] = KH_CONNECTION_KEPT_EVENTS, [KH_KEPT_OF_TOKEN] = KH_CONNECTION_KEPT_OF_TOKEN,
		[KH_KEPT_UNTIL] = KH_CONNECTION_KEPT_UNTIL,
	};
	struct kh_savepoint *s = kh_savepoint_of(txn);
	const int64_t place[] = {of->stream, of->part};
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = prepare(s, texts[range], true, &stmt);
	int rc = SQLITE_OK;

	if (e != KH_OK)
		return e;
	if (range == KH_KEPT_OF_TOKEN || range == KH_KEPT_UNTIL)
		rc = sqlite3_bind_int64(stmt, 1, range == KH_KEPT_UNTIL ? of->until : of->token);
	else
		rc = bind_key(stmt, 1, &of->key);
	if (range == KH_KEPT_OF_STREAM || range == KH_KEPT_EVENTS)
		rc = bind_numbers(stmt, 2, place, range == KH_KEPT_EVENTS ? 2 : 1, rc);
	return kh_savepoint_step(s, stmt, rc);
}
