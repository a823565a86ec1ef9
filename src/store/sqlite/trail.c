/* The audit's tables. */
#include "store/sqlite/trail.h"

#define ENTRY_SQL "SELECT id, chain, n, prev, at, \"by\", kind, body, hash FROM "

enum kh_err kh_trail_last(struct kh_txn *txn, int64_t *ret_id)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	int rc = SQLITE_OK;
	sqlite3_stmt *stmt = kh_connection_text(s->c, KH_CONNECTION_LAST_EVENT, &rc);

	if (stmt == NULL)
		return kh_savepoint_break(s, rc);
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		*ret_id = sqlite3_column_int64(stmt, 0);
	sqlite3_reset(stmt);
	return rc == SQLITE_ROW ? KH_OK : kh_savepoint_break(s, rc);
}

static int bind_view(sqlite3_stmt *stmt, int at, struct kh_view v, bool text)
{
	const char *p = v.n > 0 ? v.p : "";

	return text ? sqlite3_bind_text64(stmt, at, p, v.n, SQLITE_STATIC, SQLITE_UTF8)
		    : sqlite3_bind_blob64(stmt, at, p, v.n, SQLITE_STATIC);
}

static enum kh_err prepare_write(struct kh_savepoint *s, enum kh_connection_text which, sqlite3_stmt **ret_stmt)
{
	enum kh_err e = kh_savepoint_write(s);
	int rc = SQLITE_OK;

	if (e == KH_OK && (*ret_stmt = kh_connection_text(s->c, which, &rc)) == NULL)
		e = kh_savepoint_break(s, rc);
	return e;
}

enum kh_err kh_trail_append(struct kh_txn *txn, const struct kh_audit_entry *entry)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = prepare_write(s, entry->chain != 0 ? KH_CONNECTION_APPEND_TASK : KH_CONNECTION_APPEND_SYSTEM,
				      &stmt);
	int rc = SQLITE_OK;

	if (e != KH_OK)
		return e;
	const int64_t numbers[] = {entry->id, entry->chain, entry->n, entry->prev, entry->at, entry->by};
	for (int i = 0; i < 6 && rc == SQLITE_OK; i++)
		rc = sqlite3_bind_int64(stmt, i + 1, numbers[i]);
	if (rc == SQLITE_OK)
		rc = bind_view(stmt, 7, entry->kind, true);
	if (rc == SQLITE_OK)
		rc = bind_view(stmt, 8, entry->body, true);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_blob(stmt, 9, entry->hash.bytes, KH_DIGEST_SIZE, SQLITE_STATIC);
	e = kh_savepoint_step(s, stmt, rc);
	if (e == KH_OK)
		kh_savepoint_grew(s, &(struct kh_heads_event){entry->id, entry->chain, entry->n, entry->hash});
	return e;
}

/* Reads the statement's row; views borrow from it.  SQLITE_CORRUPT if the hash is not one. */
static int take_entry(sqlite3_stmt *stmt, struct kh_audit_entry *ret_entry)
{
	struct kh_view hash = kh_connection_bytes(stmt, 8);

	if (hash.n != KH_DIGEST_SIZE)
		return SQLITE_CORRUPT;
	*ret_entry = (struct kh_audit_entry){
		.id = sqlite3_column_int64(stmt, 0),
		.chain = sqlite3_column_int64(stmt, 1),
		.n = sqlite3_column_int64(stmt, 2),
		.prev = sqlite3_column_int64(stmt, 3),
		.at = sqlite3_column_int64(stmt, 4),
		.by = sqlite3_column_int64(stmt, 5),
		.kind = kh_connection_bytes(stmt, 6),
		.body = kh_connection_bytes(stmt, 7),
	};
	memcpy(ret_entry->hash.bytes, hash.p, hash.n);
	return SQLITE_OK;
}

/* One of the two tables while both are read together. */
struct side {
	sqlite3_stmt *stmt;
	int64_t id; /* of the next event; INT64_MAX: there is none */
	bool more;
};

static int open_side(struct kh_savepoint *s, const char *sql, int64_t after, struct side *side)
{
	int rc = sqlite3_prepare_v2(s->c->db, sql, -1, &side->stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(side->stmt, 1, after);
	return rc;
}

static int step_side(struct side *side)
{
	int rc = side->stmt != NULL ? sqlite3_step(side->stmt) : SQLITE_DONE;

	side->more = rc == SQLITE_ROW;
	side->id = side->more ? sqlite3_column_int64(side->stmt, 0) : INT64_MAX;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Both tables are in ascending order: the lower id is next. */
static int merge(struct side side[2], kh_audit_fn *fn, void *arg)
{
	int rc = step_side(&side[0]);

	if (rc == SQLITE_OK)
		rc = step_side(&side[1]);
	while (rc == SQLITE_OK && (side[0].more || side[1].more)) {
		struct kh_audit_entry entry;
		bool second = !side[0].more || side[1].id < side[0].id;
		rc = take_entry(side[second].stmt, &entry);
		if (rc != SQLITE_OK || !fn(&entry, arg))
			break;
		rc = step_side(&side[second]);
	}
	return rc;
}

enum kh_err kh_trail_read(struct kh_txn *txn, int64_t after, bool system_only, kh_audit_fn *fn, void *arg)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	struct side side[2] = {{.stmt = NULL}, {.stmt = NULL}};
	int rc = SQLITE_OK;

	if (!system_only)
		rc = open_side(s, ENTRY_SQL "task_audits WHERE id > ? ORDER BY id", after, &side[0]);
	if (rc == SQLITE_OK)
		rc = open_side(s, ENTRY_SQL "system_logs WHERE id > ? ORDER BY id", after, &side[1]);
	if (rc == SQLITE_OK)
		rc = merge(side, fn, arg);
	sqlite3_finalize(side[0].stmt);
	sqlite3_finalize(side[1].stmt);
	return rc == SQLITE_OK ? KH_OK : kh_savepoint_break(s, rc);
}

static struct kh_view keep(struct kh_arena *arena, struct kh_view v)
{
	return v.n > 0 ? kh_arena_dup(arena, v) : KH_LIT("");
}

/* Finds the event with this id in one of the tables. */
static int find_entry(struct kh_savepoint *s, enum kh_connection_text which, int64_t id, struct kh_arena *arena,
		      struct kh_audit_entry *ret_entry, bool *ret_found)
{
	int rc = SQLITE_OK;
	sqlite3_stmt *stmt = kh_connection_text(s->c, which, &rc);

	if (stmt == NULL)
		return rc;
	rc = sqlite3_bind_int64(stmt, 1, id);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	*ret_found = rc == SQLITE_ROW;
	if (rc == SQLITE_ROW) {
		rc = take_entry(stmt, ret_entry);
		if (rc == SQLITE_OK) {
			ret_entry->kind = keep(arena, ret_entry->kind);
			ret_entry->body = keep(arena, ret_entry->body);
		}
	} else if (rc == SQLITE_DONE) {
		rc = SQLITE_OK;
	}
	sqlite3_reset(stmt);
	return rc;
}

enum kh_err kh_trail_entry(struct kh_txn *txn, struct kh_arena *arena, int64_t id, struct kh_audit_entry *ret_entry)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	struct kh_audit_entry entry;
	bool found = false;
	int rc = find_entry(s, KH_CONNECTION_ENTRY_TASK, id, arena, &entry, &found);

	if (rc == SQLITE_OK && !found)
		rc = find_entry(s, KH_CONNECTION_ENTRY_SYSTEM, id, arena, &entry, &found);
	if (rc != SQLITE_OK)
		return kh_savepoint_break(s, rc);
	if (!found)
		return KH_EUNKNOWN;
	if (entry.kind.p == NULL || entry.body.p == NULL)
		return KH_ENOMEM;
	*ret_entry = entry;
	return KH_OK;
}

enum kh_err kh_trail_add_checkpoint(struct kh_txn *txn, const struct kh_backend_checkpoint *checkpoint)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = prepare_write(s, KH_CONNECTION_ADD_CHECKPOINT, &stmt);

	if (e != KH_OK)
		return e;
	int rc = sqlite3_bind_int64(stmt, 1, checkpoint->id);
	if (rc == SQLITE_OK)
		rc = bind_view(stmt, 2, checkpoint->body, true);
	if (rc == SQLITE_OK)
		rc = bind_view(stmt, 3, checkpoint->signature, false);
	return kh_savepoint_step(s, stmt, rc);
}

enum kh_err kh_trail_checkpoint(struct kh_txn *txn, struct kh_arena *arena, int64_t id,
				struct kh_backend_checkpoint *ret_checkpoint)
{
	struct kh_savepoint *s = kh_savepoint_of(txn);
	struct kh_backend_checkpoint found;
	int rc = SQLITE_OK;
	sqlite3_stmt *stmt = kh_connection_text(
		s->c, id != 0 ? KH_CONNECTION_CHECKPOINT : KH_CONNECTION_LAST_CHECKPOINT, &rc);

	if (stmt == NULL)
		return kh_savepoint_break(s, rc);
	if (id != 0)
		rc = sqlite3_bind_int64(stmt, 1, id);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		found = (struct kh_backend_checkpoint){.id = sqlite3_column_int64(stmt, 0),
						       .body = keep(arena, kh_connection_bytes(stmt, 1)),
						       .signature = keep(arena, kh_connection_bytes(stmt, 2))};
	sqlite3_reset(stmt);
	if (rc == SQLITE_DONE)
		return KH_EUNKNOWN;
	if (rc != SQLITE_ROW)
		return kh_savepoint_break(s, rc);
	if (found.body.p == NULL || found.signature.p == NULL)
		return KH_ENOMEM;
	*ret_checkpoint = found;
	return KH_OK;
}
