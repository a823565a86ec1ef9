#include "opened.h"

#include "store/sqlite/migration.h"

/* --- what must be impossible, tried with SQL --------------------------------------------------------------------- */

static void must_refuse(struct opened *o, const char *sql)
{
	int rc = opened_sql(o, sql);

	if ((rc & 0xff) != SQLITE_CONSTRAINT)
		fail_msg("not refused (%d): %s", rc, sql);
}

static void must_accept(struct opened *o, const char *sql)
{
	int rc = opened_sql(o, sql);

	if (rc != SQLITE_OK)
		fail_msg("refused (%d): %s", rc, sql);
}

static void opened_with_rows(struct opened *o, struct kh_arena *arena)
{
	opened_new(o);
	must_store(o, kh_store_run(o->store, opened_first_rows, arena, &o->err));
}

/* K1: no untrusted instruction, by no way of writing. */
static void test_no_untrusted_instruction(struct kh_test *t)
{
	struct opened o;

	opened_with_rows(&o, &t->arena);
	must_refuse(&o, "UPDATE blocks SET type = 'instruction'");
	must_accept(&o, "UPDATE blocks SET kind = 'host', trust = 'vetted', type = 'instruction'");
	must_refuse(&o, "UPDATE blocks SET trust = 'untrusted'");
	must_refuse(&o, "INSERT INTO blocks (id, context, task, query, kind, trust, type, taint, put_by, given, prev, "
			"prev_text, created_at, expires_at, purged_at, content_hash, source, tainted_by, attribution, "
			"content) SELECT 7, context, task, query, 'host', 'untrusted', 'instruction', taint, "
			"put_by, given, prev, prev_text, created_at, expires_at, purged_at, content_hash, source, "
			"tainted_by, attribution, content FROM blocks");
	must_refuse(&o, "UPDATE OR REPLACE blocks SET trust = 'Untrusted', type = 'instruction'");
	must_refuse(&o, "UPDATE blocks SET kind = 'sealed', trust = 'trusted'");
	must_refuse(&o, "UPDATE blocks SET kind = 'delivery', type = 'data', trust = 'untrusted', query = 0");
	must_refuse(&o, "UPDATE blocks SET purged_at = 5");
	must_accept(&o, "UPDATE blocks SET purged_at = 5, content = x''");
	opened_remove(&o);
}

/* I-45: what stands after content in a row is read through all of it, in a time that shows its size. */
static void test_content_stands_last(struct kh_test *t)
{
	struct opened o;

	opened_with_rows(&o, &t->arena);
	must_accept(&o, "CREATE TEMP TABLE last (name TEXT CHECK (name IN ('content', 'prints')));"
			"INSERT INTO temp.last SELECT name FROM pragma_table_info('blocks') ORDER BY cid DESC LIMIT 2");
	must_refuse(&o,
		    "CREATE TEMP TABLE after (name TEXT CHECK (name NOT IN ('content', 'prints')));"
		    "INSERT INTO temp.after SELECT name FROM pragma_table_info('blocks') ORDER BY cid DESC LIMIT 2");
	opened_remove(&o);
}

/* L2: no delivery without its audit event. */
static void test_no_delivery_without_event(struct kh_test *t)
{
	struct opened o;

	opened_with_rows(&o, &t->arena);
	must_refuse(&o, "UPDATE queries SET state = 'done', outcome = 'delivered', delivery = 1");
	must_refuse(&o, "UPDATE queries SET state = 'done', outcome = 'delivered', delivery = 1, event = 9");
	must_accept(&o, "INSERT INTO task_audits VALUES (9, 1, 1, 0, 0, 0, 'query.delivered', zeroblob(32), '{}')");
	must_refuse(&o, "UPDATE queries SET state = 'done', outcome = 'delivered', event = 9");
	must_accept(&o, "UPDATE queries SET state = 'done', outcome = 'delivered', delivery = 1, event = 9");
	must_refuse(&o, "UPDATE queries SET event = 0");
	must_refuse(&o, "DELETE FROM task_audits");
	/* In one transaction the order does not matter: both are there at its end. */
	must_accept(&o, "BEGIN; UPDATE queries SET event = 10;"
			"INSERT INTO task_audits VALUES (10, 1, 2, 9, 0, 0, 'x', zeroblob(32), '{}'); COMMIT");
	opened_remove(&o);
}

/* B6: budget = remaining + reserved + charged, and none is negative. */
static void test_no_negative_remainder(struct kh_test *t)
{
	struct opened o;

	opened_with_rows(&o, &t->arena);
	must_refuse(&o, "UPDATE tasks SET remaining = remaining - 1");
	must_refuse(&o, "UPDATE tasks SET remaining = -1, reserved = 4");
	must_refuse(&o, "UPDATE tasks SET charged = -1, reserved = 6");
	must_accept(&o, "UPDATE tasks SET remaining = 0, reserved = 3");
	must_refuse(&o, "UPDATE contexts SET remaining = -2, charged = 6");
	must_refuse(&o, "UPDATE contexts SET reserved = -2, charged = 7");
	must_refuse(&o, "UPDATE contexts SET budget = 7");
	must_refuse(&o, "UPDATE queries SET charged = -1");
	must_refuse(&o, "UPDATE queries SET reserved = -1");
	opened_remove(&o);
}

/* A2: no use too many; A3: a pending approval was decided by nobody. */
static void test_no_use_too_many(struct kh_test *t)
{
	struct opened o;

	opened_with_rows(&o, &t->arena);
	must_accept(&o, "UPDATE approvals SET uses = 1, used = 1");
	must_refuse(&o, "UPDATE approvals SET used = 2");
	must_refuse(&o, "UPDATE approvals SET used = -1");
	must_refuse(&o, "UPDATE approvals SET state = 'pending'");
	opened_remove(&o);
}

/* Words of their lists only, and a state and an outcome that go together (B16: `pending` is never stored). */
static void test_words(struct kh_test *t)
{
	static const char *const columns[][2] = {
		{"tokens", "role"},   {"contexts", "taint"},  {"tasks", "state"},          {"tasks", "phase"},
		{"blocks", "kind"},   {"blocks", "trust"},    {"blocks", "type"},          {"blocks", "taint"},
		{"queries", "state"}, {"queries", "outcome"}, {"queries", "reader_taint"}, {"effects", "kind"},
		{"effects", "state"}, {"approvals", "kind"},  {"approvals", "state"},
	};
	struct opened o;
	char sql[128];

	opened_with_rows(&o, &t->arena);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		static const char *const bad[] = {"''", "'nonsense'", "NULL", "1", "x'00'"};
		for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
			snprintf(sql, sizeof(sql), "UPDATE %s SET %s = %s", columns[i][0], columns[i][1], bad[k]);
			must_refuse(&o, sql);
		}
	}
	must_refuse(&o, "UPDATE queries SET state = 'done'");
	must_refuse(&o, "UPDATE queries SET outcome = 'failed'");
	must_refuse(&o, "UPDATE queries SET state = 'ready', outcome = 'pending'");
	must_accept(&o, "UPDATE queries SET state = 'ready', outcome = 'failed'");
	must_refuse(&o, "UPDATE queries SET category = 4");
	must_refuse(&o, "UPDATE queries SET body = 3.5e300 || NULL");
	opened_remove(&o);
}

/* Every word of every list of the program is one that the database takes: the two lists are the same. */
struct word {
	struct kh_arena *arena;
	enum kh_table table;
	size_t column;
	unsigned word;
};

/* What the constraints want of a declaration whose column NAME was chosen. */
static void fit_declaration(struct kh_declaration_row *row, const char *name)
{
	if (strcmp(name, "ended") == 0)
		row->state = row->ended != KH_ENDED_NOT ? KH_DECLARATION_DONE : KH_DECLARATION_DECLARED;
	else
		row->ended = row->state >= KH_DECLARATION_READY ? KH_ENDED_EXPIRED : KH_ENDED_NOT;
	row->begun_at = row->holder = row->working = 1;
	row->block = row->ended == KH_ENDED_OK;
}

static enum kh_err write_word(struct kh_txn *txn, void *arg)
{
	struct word *w = arg;
	const struct kh_record *record = kh_record_of(w->table);
	const struct kh_column *c = &record->columns[w->column];
	union opened_row row;

	opened_fill(w->table, w->arena, 1, &row);
	memcpy((char *)&row + c->offset, &w->word, sizeof(w->word));
	if (w->table == KH_TABLE_BLOCKS) { /* what goes with any word */
		row.block.kind = strcmp(c->name, "kind") == 0 ? row.block.kind : KH_BLOCK_HOST;
		row.block.trust = strcmp(c->name, "type") == 0 ? KH_TRUSTED : row.block.trust;
		row.block.query = 1;
	}
	if (w->table == KH_TABLE_QUERIES && strcmp(c->name, "state") == 0)
		row.query.outcome = w->word >= KH_QUERY_READY ? KH_OUTCOME_FAILED : KH_OUTCOME_NONE;
	if (w->table == KH_TABLE_QUERIES && strcmp(c->name, "outcome") == 0)
		row.query.state = w->word != KH_OUTCOME_NONE ? KH_QUERY_READY : KH_QUERY_ASKING;
	if (w->table == KH_TABLE_DECLARATIONS)
		fit_declaration(&row.declaration, c->name);
	return txn->backend->update(txn, w->table, &row, (UINT64_C(1) << record->count) - 1);
}

static void test_all_words(struct kh_test *t)
{
	struct opened o;
	size_t tried = 0;

	opened_with_rows(&o, &t->arena);
	for (unsigned i = 0; i < KH_TABLE_COUNT; i++) {
		const struct kh_record *record = kh_record_of((enum kh_table)i);
		for (size_t k = 0; k < record->count; k++) {
			const struct kh_column *c = &record->columns[k];
			for (unsigned w = 0; c->kind == KH_COLUMN_WORD && w < c->words->n; w++, tried++) {
				struct word word = {&t->arena, (enum kh_table)i, k, w};
				enum kh_err e = kh_store_run(o.store, write_word, &word, &o.err);
				if (c->words == &kh_rows_outcome_words && w == KH_OUTCOME_PENDING)
					must_store_fail(&o, KH_ESTORE, "store_refused", e);
				else
					must_store(&o, e);
			}
		}
	}
	assert_true(tried > 50);
	opened_remove(&o);
}

/* References lead somewhere, in what is not written for every query; a delivery's event is there always. */
static void test_references(struct kh_test *t)
{
	static const char *const columns[][2] = {
		{"tokens", "parent"},  {"tasks", "context"},   {"queries", "event"},        {"approvals", "context"},
		{"approvals", "task"}, {"approvals", "query"}, {"approvals", "decided_by"}, {"showings", "approval"},
		{"showings", "token"}, {"needs", "task"},
	};
	struct opened o;
	char sql[128];

	opened_with_rows(&o, &t->arena);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		snprintf(sql, sizeof(sql), "UPDATE %s SET %s = 999", columns[i][0], columns[i][1]);
		must_refuse(&o, sql);
	}
	opened_remove(&o);
}

/* --- versions ----------------------------------------------------------------------------------------------------- */

/* A file that was brought to version N of these, then opened by a program that has all of them. */
static const char *const steps[] = {
	"CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1);",
	"CREATE TABLE b (y INTEGER) STRICT; INSERT INTO b SELECT x + 1 FROM a;",
	"ALTER TABLE b ADD COLUMN z INTEGER; UPDATE b SET z = y + 1;",
};

static enum kh_err migrate(struct opened *o, size_t count, enum kh_store_mode mode, int64_t *ret_z)
{
	const struct kh_migrations m = {.texts = steps, .count = count};
	struct kh_connection c;
	enum kh_err e = kh_connection_open(&c, o->path, mode, &o->err);

	if (e != KH_OK)
		return e;
	e = kh_migration_run(&c, &m, mode, &o->err);
	if (e == KH_OK && ret_z != NULL)
		e = kh_connection_number(&c, "SELECT z FROM b", ret_z, &o->err);
	kh_connection_close(&c);
	return e;
}

static void make_empty(struct opened *o)
{
	FILE *f;

	opened_folder(o);
	f = fopen(o->path, "w");
	assert_non_null(f);
	fclose(f);
}

/* D3: from every earlier version, the empty one among them, to the last. */
static void test_from_every_version(struct kh_test *t)
{
	(void)t;
	for (size_t from = 1; from <= 3; from++) {
		struct opened o;
		int64_t z = 0;
		make_empty(&o);
		must_store(&o, migrate(&o, from, KH_STORE_CREATE, NULL));
		must_store(&o, migrate(&o, 3, KH_STORE_EXISTING, &z));
		assert_int_equal(z, 3);
		must_store(&o, migrate(&o, 3, KH_STORE_EXISTING, &z)); /* and then nothing more is done */
		assert_int_equal(z, 3);
		opened_remove(&o);
	}
}

/* A newer one is refused, and not touched; an older one cannot be only read. */
static void test_newer_is_refused(struct kh_test *t)
{
	struct opened o;
	int64_t z = 0;

	(void)t;
	make_empty(&o);
	must_store(&o, migrate(&o, 3, KH_STORE_CREATE, NULL));
	must_store_fail(&o, KH_ESTORE, "store_version", migrate(&o, 2, KH_STORE_EXISTING, NULL));
	must_store_fail(&o, KH_ESTORE, "store_version", migrate(&o, 2, KH_STORE_READ, NULL));
	must_store(&o, migrate(&o, 3, KH_STORE_READ, &z));
	assert_int_equal(z, 3);
	opened_remove(&o);
	make_empty(&o);
	must_store(&o, migrate(&o, 1, KH_STORE_CREATE, NULL));
	must_store_fail(&o, KH_ESTORE, "store_version", migrate(&o, 2, KH_STORE_READ, NULL));
	opened_remove(&o);
}

/* A migration that fails leaves the version before it, whole. */
static void test_failed_migration(struct kh_test *t)
{
	static const char *const bad[] = {
		"CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1);",
		"CREATE TABLE b (y INTEGER CHECK (y < 0)) STRICT; INSERT INTO b SELECT x FROM a;",
	};
	const struct kh_migrations m = {.texts = bad, .count = 2};
	struct kh_connection c;
	struct opened o;
	int64_t z = 0;

	(void)t;
	make_empty(&o);
	must_store(&o, migrate(&o, 1, KH_STORE_CREATE, NULL));
	must_store(&o, kh_connection_open(&c, o.path, KH_STORE_EXISTING, &o.err));
	must_store_fail(&o, KH_ESTORE, "store_refused", kh_migration_run(&c, &m, KH_STORE_EXISTING, &o.err));
	kh_connection_close(&c);
	must_store(&o, migrate(&o, 3, KH_STORE_EXISTING, &z)); /* table b was not left behind */
	assert_int_equal(z, 3);
	opened_remove(&o);
}

/* This program's own: the version after the last is newer than it knows. */
static void test_own_version(struct kh_test *t)
{
	struct opened o;
	char sql[64];

	(void)t;
	opened_new(&o);
	kh_store_close(o.store);
	o.store = NULL;
	snprintf(sql, sizeof(sql), "PRAGMA user_version = %zu", kh_migration_all.count + 1);
	must_accept(&o, sql);
	must_store_fail(&o, KH_ESTORE, "store_version",
			kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_EXISTING, &o.store, &o.err));
	must_store_fail(&o, KH_ESTORE, "store_version",
			kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_READ, &o.store, &o.err));
	must_store_fail(&o, KH_ESTORE, "store_exists",
			kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_CREATE, &o.store, &o.err));
	opened_remove(&o);
}

/* L3: what the build says that a store consists of is what the texts make. */
static void test_prebuilt_form(struct kh_test *t)
{
	struct kh_migration_form made = kh_migration_all.made;
	struct opened o;
	sqlite3 *db;
	sqlite3_stmt *rows;

	(void)t;
	opened_new(&o);
	assert_int_equal(sqlite3_open(o.path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name",
					    -1, &rows, NULL),
			 SQLITE_OK);
	while (sqlite3_step(rows) == SQLITE_ROW) {
		for (int i = 0; i < 4; i++) {
			int n = sqlite3_column_bytes(rows, i);
			assert_true(made.count > 0);
			assert_int_equal(n, *made.sizes);
			if (n > 0)
				assert_memory_equal(sqlite3_column_blob(rows, i), made.bytes, (size_t)n);
			made.bytes += n;
			made.sizes++;
			made.count--;
		}
	}
	assert_int_equal(made.count, 0);
	assert_int_equal(sqlite3_finalize(rows), SQLITE_OK);
	sqlite3_close(db);
	opened_remove(&o);
}

/* L3: what was put into the file to act in the store's place is found before it can. */
static void test_foreign_form(struct kh_test *t)
{
	static const char *const planted[] = {
		"CREATE TRIGGER t AFTER UPDATE ON contexts BEGIN UPDATE contexts SET taint = 'low'; END",
		"CREATE TABLE more (x)",
		"CREATE VIEW v AS SELECT 1",
		"CREATE INDEX i ON tokens (role)",
		"DROP INDEX approvals_pending",
		"DROP INDEX approvals_pending; CREATE INDEX approvals_pending ON approvals (task) WHERE state = 'void'",
		"ALTER TABLE tokens ADD COLUMN more INTEGER",
		"ALTER TABLE needs RENAME TO needed; CREATE VIEW needs AS SELECT * FROM needed",
	};

	(void)t;
	for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
		struct opened o;
		opened_new(&o);
		kh_store_close(o.store);
		o.store = NULL;
		opened_open(&o, KH_STORE_EXISTING);
		kh_store_close(o.store);
		o.store = NULL;
		must_accept(&o, planted[i]);
		must_store_fail(&o, KH_ESTORE, "store_corrupt",
				kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_EXISTING, &o.store, &o.err));
		must_store_fail(&o, KH_ESTORE, "store_corrupt",
				kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_READ, &o.store, &o.err));
		opened_remove(&o);
	}
}

static enum kh_err insert_token(struct kh_txn *txn, void *arg)
{
	return txn->backend->insert(txn, KH_TABLE_TOKENS, arg);
}

/* A trigger that comes while the store is open does not run. */
static void test_foreign_trigger(struct kh_test *t)
{
	struct opened o;

	opened_with_rows(&o, &t->arena);
	must_accept(&o, "CREATE TRIGGER t AFTER INSERT ON tokens BEGIN UPDATE tokens SET role = 'admin'; END");
	union opened_row row;
	opened_fill(KH_TABLE_TOKENS, &t->arena, 2, &row);
	row.token.role = KH_ROLE_READER;
	must_store(&o, kh_store_run(o.store, insert_token, &row, &o.err));
	must_accept(&o, "CREATE TEMP TABLE x (n CHECK (n = 0)); INSERT INTO x SELECT count(*) FROM tokens WHERE "
			"role = 'admin'");
	opened_remove(&o);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_no_untrusted_instruction),
	KH_TEST_ONCE(test_content_stands_last),
	KH_TEST_ONCE(test_no_delivery_without_event),
	KH_TEST_ONCE(test_no_negative_remainder),
	KH_TEST_ONCE(test_no_use_too_many),
	KH_TEST_ONCE(test_words),
	KH_TEST_ONCE(test_all_words),
	KH_TEST_ONCE(test_references),
	KH_TEST_ONCE(test_from_every_version),
	KH_TEST_ONCE(test_newer_is_refused),
	KH_TEST_ONCE(test_failed_migration),
	KH_TEST_ONCE(test_own_version),
	KH_TEST_ONCE(test_prebuilt_form),
	KH_TEST_ONCE(test_foreign_form),
	KH_TEST_ONCE(test_foreign_trigger),
};
KH_TEST_MAIN(cases)
