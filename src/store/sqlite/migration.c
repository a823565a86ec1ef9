/* Brings a database to the current version. */
#include "store/sqlite/migration.h"

#include <stdio.h>

static const char version_1[] = {
#include "schema_1.inc"
};

static const char version_2[] = {
#include "schema_2.inc"
};

static const char version_3[] = {
#include "schema_3.inc"
};

#include "form.inc"

static const char *const texts[] = {version_1, version_2, version_3};

const struct kh_migrations kh_migration_all = {
	texts, sizeof(texts) / sizeof(texts[0]), {made_bytes, made_sizes, sizeof(made_sizes) / sizeof(made_sizes[0])}};

/* What the file's header says about itself. */
struct identity {
	int64_t version, application, tables;
};

static enum kh_err identify(struct kh_connection *c, struct identity *ret_identity, struct kh_error *err)
{
	struct identity i = {0, 0, 0};
	enum kh_err e = kh_connection_number(c, "PRAGMA user_version", &i.version, err);

	if (e == KH_OK)
		e = kh_connection_number(c, "PRAGMA application_id", &i.application, err);
	if (e == KH_OK)
		e = kh_connection_number(c, "SELECT count(*) FROM sqlite_schema", &i.tables, err);
	if (e == KH_OK)
		*ret_identity = i;
	return e;
}

/* Whether a database with this identity can be opened in this mode. */
static enum kh_err judge(const struct identity *is, size_t last, enum kh_store_mode mode, struct kh_error *err)
{
	bool empty = is->version == 0 && is->application == 0 && is->tables == 0;

	if (mode == KH_STORE_CREATE || mode == KH_STORE_SCRATCH) {
		if (!empty)
			return kh_error_set(err, KH_ESTORE, "store_exists", "there is a store already");
		return KH_OK;
	}
	if (empty)
		return kh_error_set(err, KH_ESTORE, "store_missing", "the file is empty: no store was made in it");
	if (is->application != KH_MIGRATION_APPLICATION || is->version < 1)
		return kh_error_set(err, KH_ESTORE, "store_corrupt", "the file is a database, but no store");
	if (is->version > (int64_t)last)
		return kh_error_set(err, KH_ESTORE, "store_version",
				    "the store has version %lld, newer than this program's %zu", (long long)is->version,
				    last);
	if (mode == KH_STORE_READ && is->version < (int64_t)last)
		return kh_error_set(err, KH_ESTORE, "store_version",
				    "the store has version %lld and must be brought to %zu before it can be read",
				    (long long)is->version, last);
	return KH_OK;
}

/* --- the form of the database ------------------------------------------------------------------------------------- */

#define COLUMNS 4
static const char form[] = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name";

static bool same_entry(sqlite3_stmt *a, sqlite3_stmt *b)
{
	bool same = true;

	for (int i = 0; i < COLUMNS; i++) {
		const void *x = sqlite3_column_blob(a, i), *y = sqlite3_column_blob(b, i);
		int n = sqlite3_column_bytes(a, i);
		same = same && n == sqlite3_column_bytes(b, i) && (n == 0 || memcmp(x, y, (size_t)n) == 0);
	}
	return same;
}

/* SQLITE_OK if both have the same tables and indexes, defined by the same text; SQLITE_CORRUPT if not. */
static int compare_forms(sqlite3 *is, sqlite3 *should)
{
	sqlite3_stmt *a = NULL, *b = NULL;
	int rc = sqlite3_prepare_v2(is, form, -1, &a, NULL), other = SQLITE_OK;

	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(should, form, -1, &b, NULL);
	while (rc == SQLITE_OK) {
		rc = sqlite3_step(a);
		other = sqlite3_step(b);
		if (rc != SQLITE_ROW && rc != SQLITE_DONE)
			break;
		if (rc == SQLITE_DONE && other == SQLITE_DONE)
			break;
		rc = rc == other && same_entry(a, b) ? SQLITE_OK : SQLITE_CORRUPT;
	}
	sqlite3_finalize(a);
	sqlite3_finalize(b);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Whether the entry that A is at is the next one of FORM, which is moved past it. */
static bool is_next(sqlite3_stmt *a, struct kh_migration_form *form_left)
{
	bool same = form_left->count >= COLUMNS;

	for (int i = 0; i < COLUMNS && same; i++) {
		const void *x = sqlite3_column_blob(a, i);
		int n = sqlite3_column_bytes(a, i);
		same = n == *form_left->sizes && (n == 0 || memcmp(x, form_left->bytes, (size_t)n) == 0);
		form_left->bytes += n;
		form_left->sizes++;
		form_left->count--;
	}
	return same;
}

/* Whether the database has exactly what the build found: no text has to be run then. */
static bool is_made(sqlite3 *is, struct kh_migration_form made)
{
	sqlite3_stmt *a = NULL;
	int rc = sqlite3_prepare_v2(is, form, -1, &a, NULL);
	bool same = rc == SQLITE_OK && made.count > 0;

	while (same && (rc = sqlite3_step(a)) == SQLITE_ROW)
		same = is_next(a, &made);
	sqlite3_finalize(a);
	return same && rc == SQLITE_DONE && made.count == 0;
}

/*
 * Whether the database has exactly what the SQL texts up to VERSION make.  If somebody put triggers or views into the
 * file, removed constraints from tables, or changed what an index covers, the store would not do what it reports.
 * Verification might not notice, because it reads through the same tables.
 */
static enum kh_err check_form(struct kh_connection *c, const struct kh_migrations *m, int64_t version,
			      struct kh_error *err)
{
	struct kh_connection made;

	/* Most databases are of the last version.  Another SQLite may write the same entries in other words. */
	if (version == (int64_t)m->count && is_made(c->db, m->made))
		return KH_OK;
	enum kh_err e = kh_connection_open(&made, NULL, KH_STORE_SCRATCH, err);
	if (e != KH_OK)
		return e;
	for (int64_t i = 0; i < version && e == KH_OK; i++)
		e = kh_connection_exec(&made, m->texts[i], err);
	int rc = e == KH_OK ? compare_forms(c->db, made.db) : SQLITE_OK;
	kh_connection_close(&made);
	if (rc == SQLITE_CORRUPT)
		return kh_error_set(err, KH_ESTORE, "store_corrupt",
				    "the file has other tables, indexes, triggers or views than a store has");
	return rc == SQLITE_OK ? e : kh_connection_fail(c, rc, err);
}

/* --- migrating ---------------------------------------------------------------------------------------------------- */

static enum kh_err apply(struct kh_connection *c, const struct kh_migrations *m, size_t from, struct kh_error *err)
{
	char identity[96];
	enum kh_err e = KH_OK;

	for (size_t i = from; i < m->count && e == KH_OK; i++)
		e = kh_connection_exec(c, m->texts[i], err);
	if (e != KH_OK)
		return e;
	snprintf(identity, sizeof(identity), "PRAGMA application_id = %d; PRAGMA user_version = %zu",
		 KH_MIGRATION_APPLICATION, m->count);
	return kh_connection_exec(c, identity, err);
}

/* Looks again under the lock that keeps others out, and migrates from the version found. */
static enum kh_err migrate(struct kh_connection *c, const struct kh_migrations *m, enum kh_store_mode mode,
			   struct kh_error *err)
{
	struct identity is;
	enum kh_err e = kh_connection_exec(c, "BEGIN IMMEDIATE", err);

	if (e != KH_OK)
		return e;
	e = identify(c, &is, err);
	if (e == KH_OK)
		e = judge(&is, m->count, mode, err);
	if (e == KH_OK)
		e = apply(c, m, (size_t)is.version, err);
	if (e == KH_OK)
		e = kh_connection_exec(c, "COMMIT", err);
	if (e != KH_OK && !sqlite3_get_autocommit(c->db))
		(void)sqlite3_exec(c->db, "ROLLBACK", NULL, NULL, NULL);
	return e;
}

enum kh_err kh_migration_run(struct kh_connection *c, const struct kh_migrations *migrations, enum kh_store_mode mode,
			     struct kh_error *err)
{
	struct identity is;
	enum kh_err e = identify(c, &is, err);

	if (e == KH_OK)
		e = judge(&is, migrations->count, mode, err);
	if (e == KH_OK && is.version > 0)
		e = check_form(c, migrations, is.version, err);
	/* Now the file is known to be ours, or empty.  Before this, not even its journal is touched. */
	if (e == KH_OK && mode != KH_STORE_READ && mode != KH_STORE_SCRATCH)
		e = kh_connection_exec(c, "PRAGMA journal_mode = WAL", err);
	if (e != KH_OK ||
	    (mode != KH_STORE_CREATE && mode != KH_STORE_SCRATCH && is.version == (int64_t)migrations->count))
		return e;
	return migrate(c, migrations, mode, err);
}
