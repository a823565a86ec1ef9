/* Bringing a database to the present version. */
#include "store/sqlite/migration.h"

#include <stdio.h>

static const char version_1[] = {
#include "schema_1.inc"
	, 0};

static const char *const texts[] = {version_1};

const struct kh_migrations kh_migration_all = {texts, sizeof(texts) / sizeof(texts[0])};

/* What the file says of itself. */
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

/* Looks again with the lock that keeps others out, and goes on from there. */
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
	/* Now it is known to be ours, or nobody's; before, not even its journal is touched. */
	if (e == KH_OK && mode != KH_STORE_READ && mode != KH_STORE_SCRATCH)
		e = kh_connection_exec(c, "PRAGMA journal_mode = WAL", err);
	if (e != KH_OK ||
	    (mode != KH_STORE_CREATE && mode != KH_STORE_SCRATCH && is.version == (int64_t)migrations->count))
		return e;
	return migrate(c, migrations, mode, err);
}
