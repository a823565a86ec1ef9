/* Savepoints around operations. */
#include "store/sqlite/savepoint.h"

#include "base/alloc.h"

#define FIRST 256

struct kh_savepoint *kh_savepoint_of(struct kh_txn *txn)
{
	return (struct kh_savepoint *)txn;
}

static bool make_room(struct kh_savepoint_grown *grown)
{
	size_t cap = grown->cap > 0 ? 2 * grown->cap : FIRST;
	struct kh_heads_event *at = kh_alloc_array(&kh_alloc_system, cap, sizeof(*at));

	if (at == NULL)
		return false;
	if (grown->n > 0)
		memcpy(at, grown->at, grown->n * sizeof(*at));
	kh_alloc_free(&kh_alloc_system, grown->at, grown->cap * sizeof(*at));
	grown->at = at;
	grown->cap = cap;
	return true;
}

void kh_savepoint_grew(struct kh_savepoint *s, const struct kh_heads_event *event)
{
	struct kh_savepoint_grown *grown = s->grown;

	if (grown == NULL)
		return;
	if (grown->n == grown->cap && !make_room(grown))
		grown->lost = true;
	else
		grown->at[grown->n++] = *event;
}

enum kh_err kh_savepoint_break(struct kh_savepoint *s, int rc)
{
	rc = kh_connection_told(rc);
	enum kh_err e = kh_connection_fail(s->c, rc, s->txn.err);
	s->txn.broken = true;
	s->txn.broken_by = e;
	/* A constraint, or a value that is too large, concerns this operation only. */
	if ((rc & 0xff) != SQLITE_CONSTRAINT && (rc & 0xff) != SQLITE_TOOBIG)
		s->rc = rc;
	return e;
}

enum kh_err kh_savepoint_write(struct kh_savepoint *s)
{
	if (s->txn.broken)
		return s->txn.broken_by;
	if (s->txn.reading)
		return kh_error_set(s->txn.err, KH_ESTORE, "read_only", "this transaction only reads");
	if (s->open)
		return KH_OK;
	int rc = kh_connection_step(s->c, KH_CONNECTION_SAVEPOINT);
	if (rc != SQLITE_OK)
		return kh_savepoint_break(s, rc);
	s->open = true;
	return KH_OK;
}

enum kh_err kh_savepoint_step(struct kh_savepoint *s, sqlite3_stmt *stmt, int rc)
{
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_DONE)
		(void)kh_savepoint_break(s, rc); /* before the reset, which forgets the message */
	sqlite3_reset(stmt);
	return rc == SQLITE_DONE ? KH_OK : s->txn.broken_by;
}

/*
 * Whether there are dangling references at the end of an operation.  SQLite itself would find them only when the whole
 * group commits.
 */
static bool has_loose_ends(struct kh_savepoint *s)
{
	int loose = 0, highest = 0;

	return sqlite3_db_status(s->c->db, SQLITE_DBSTATUS_DEFERRED_FKS, &loose, &highest, 0) != SQLITE_OK ||
	       loose != 0;
}

static void end(struct kh_savepoint *s, bool keep)
{
	int rc = SQLITE_OK;

	if (s->open && !keep)
		kh_cache_clear(s->c->cache);
	if (!s->open || s->rc != SQLITE_OK)
		return;
	if (!keep)
		rc = kh_connection_step(s->c, KH_CONNECTION_ROLLBACK_TO);
	if (rc == SQLITE_OK)
		rc = kh_connection_step(s->c, KH_CONNECTION_RELEASE);
	if (rc != SQLITE_OK)
		(void)kh_savepoint_break(s, rc);
	s->open = false;
}

enum kh_err kh_savepoint_run(struct kh_savepoint *s, kh_store_fn *fn, void *arg, struct kh_error *err)
{
	s->txn.err = err;
	s->txn.broken = false;
	s->txn.broken_by = KH_OK;
	s->open = false;
	s->rc = SQLITE_OK;
	int64_t event = s->txn.event;
	size_t grown = s->grown != NULL ? s->grown->n : 0;
	enum kh_err e = kh_txn_operate(&s->txn, fn, arg);
	if (e == KH_OK && s->open && has_loose_ends(s))
		e = kh_error_set(err, KH_ESTORE, "store_refused",
				 "a constraint of the store: a reference leads nowhere");
	end(s, e == KH_OK);
	if (e == KH_OK && s->rc != SQLITE_OK)
		e = s->txn.broken_by;
	if (e != KH_OK)
		s->txn.event = event;
	if (e != KH_OK && s->grown != NULL)
		s->grown->n = grown;
	return e;
}
