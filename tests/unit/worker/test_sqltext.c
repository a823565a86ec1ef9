#include "worker/sql/sqltext.h"

#include "harness.h"

static void refused(struct kh_test *t, enum kh_sqltext_dialect dialect, struct kh_view sql, const char *why)
{
	must_fail(t, KH_EREFUSED, kh_sqltext_check(&t->arena, sql, dialect, &t->err));
	assert_string_equal(t->err.code, "statement_refused");
	if (strstr(t->err.detail, why) == NULL)
		fail_msg("%.*s: %s", KH_FMT(sql), t->err.detail);
}

static void taken(struct kh_test *t, enum kh_sqltext_dialect dialect, const char *sql)
{
	enum kh_err e = kh_sqltext_check(&t->arena, kh_view_str(sql), dialect, &t->err);

	if (e == KH_EREFUSED)
		fail_msg("%s: %s", sql, t->err.detail);
	must(t, e);
}

/* E9: a statement that reads passes, however it is written. */
static void test_reads(struct kh_test *t)
{
	static const char *const both[] = {
		"SELECT 1",
		"  select * from t where a = 'x;y' -- drop table t;",
		"WITH x AS (SELECT 1) SELECT * FROM x;  /* ; */ -- end",
		"VALUES (1), (2);",
		"/* first */ -- and\n SELECT \"a;b\" FROM t",
		"SELECT 'it''s; fine', \"a\"\"b\" FROM t ;\n\n",
		"select count(*) from t where name like '%--%' and x = '/*'",
	};
	static const char *const postgres[] = {
		"TABLE t",
		"((SELECT 1))",
		"SELECT $$a;b$$, $tag$ $$ ; $tag$, E'a\\nb', $1, a::text, x[1:2] FROM t",
		"SELECT 1 /* outer /* inner ; */ still */ + 1",
		"SELECT lo_orderdate, pg_sleep FROM lineorder",
		"SELECT a$b, tab$le$ FROM t",
		"SELECT 1 -- x\r+ 1",
	};

	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++) {
		taken(t, KH_SQLTEXT_SQLITE, both[i]);
		taken(t, KH_SQLTEXT_POSTGRES, both[i]);
	}
	for (size_t i = 0; i < sizeof(postgres) / sizeof(postgres[0]); i++)
		taken(t, KH_SQLTEXT_POSTGRES, postgres[i]);
	taken(t, KH_SQLTEXT_SQLITE, "SELECT [a;b], `c;d` FROM t");
}

/* E9: what does not begin as a query is refused, in every form of writing. */
static void test_begins(struct kh_test *t)
{
	static const char *const words[] = {
		"INSERT INTO t VALUES (1)",
		"UPDATE t SET a = 1",
		"DELETE FROM t",
		"DROP TABLE t",
		"CREATE TABLE x (a)",
		"ALTER TABLE t ADD b",
		"ATTACH 'x' AS y",
		"DETACH y",
		"PRAGMA journal_mode = DELETE",
		"VACUUM",
		"VACUUM INTO '/tmp/x'",
		"REINDEX",
		"ANALYZE",
		"BEGIN",
		"COMMIT",
		"SAVEPOINT a",
		"EXPLAIN SELECT 1",
		"EXPLAIN ANALYZE DELETE FROM t",
		"COPY t TO '/tmp/x'",
		"COPY t FROM PROGRAM 'id'",
		"COPY t TO STDOUT",
		"DO $$ BEGIN END $$",
		"CALL p()",
		"SET ROLE postgres",
		"RESET ALL",
		"LOAD 'x'",
		"LISTEN x",
		"NOTIFY x",
		"GRANT ALL ON t TO PUBLIC",
		"TRUNCATE t",
		"LOCK t",
		"MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE",
		"PREPARE x AS SELECT 1",
		"EXECUTE x",
		"DECLARE c CURSOR FOR SELECT 1",
		"FETCH 1 FROM c",
		"SHOW ALL",
		"REFRESH MATERIALIZED VIEW v",
		"CLUSTER t",
		"CHECKPOINT",
		"DISCARD ALL",
		"REPLACE INTO t VALUES (1)",
		"/* SELECT */ DELETE FROM t",
		"-- SELECT\nDELETE FROM t",
		"( DELETE FROM t )",
		"SELECTX 1",
		"'SELECT' 1",
		"\"SELECT\" 1",
		"SELECT_ 1",
		".read x",
		"\\! id",
		"?",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		refused(t, KH_SQLTEXT_SQLITE, kh_view_str(words[i]), "begins with");
		refused(t, KH_SQLTEXT_POSTGRES, kh_view_str(words[i]), "begins with");
	}
	refused(t, KH_SQLTEXT_SQLITE, KH_LIT("TABLE t"), "begins with SELECT, WITH or VALUES");
	refused(t, KH_SQLTEXT_SQLITE, KH_LIT(""), "no statement");
	refused(t, KH_SQLTEXT_SQLITE, KH_LIT(" -- nothing\n "), "no statement");
}

/* E9: one statement, whatever is done with comments and quotes. */
static void test_one(struct kh_test *t)
{
	static const char *const both[] = {
		"SELECT 1; DELETE FROM t",      "SELECT 1;;", "SELECT 1; -- x\n DROP TABLE t", "SELECT ';'; SELECT 2",
		"SELECT 1 /* ' */; SELECT '2'",
	};

	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++) {
		refused(t, KH_SQLTEXT_SQLITE, kh_view_str(both[i]), "follows the semicolon");
		refused(t, KH_SQLTEXT_POSTGRES, kh_view_str(both[i]), "follows the semicolon");
	}
	refused(t, KH_SQLTEXT_POSTGRES, KH_LIT("SELECT $a$ ; $a$; DROP TABLE t"), "follows the semicolon");
	refused(t, KH_SQLTEXT_POSTGRES, KH_LIT("SELECT 1 -- x\r; DROP TABLE t"), "follows the semicolon");
	/* A comment ends at the first end for SQLite, and not for PostgreSQL. */
	refused(t, KH_SQLTEXT_SQLITE, KH_LIT("SELECT 1 /* /* */ ; DROP TABLE t -- */"), "follows the semicolon");
	refused(t, KH_SQLTEXT_POSTGRES, KH_LIT("SELECT 1 /* /* */ ; DROP TABLE t"), "does not end");
}

/* E9: what could be read in two ways is refused: unfinished strings, backslashes, other bytes. */
static void test_unclear(struct kh_test *t)
{
	refused(t, KH_SQLTEXT_SQLITE, KH_LIT("SELECT 'x"), "do not end");
	refused(t, KH_SQLTEXT_SQLITE, KH_LIT("SELECT \"x"), "do not end");
	refused(t, KH_SQLTEXT_SQLITE, KH_LIT("SELECT /* x"), "does not end");
	refused(t, KH_SQLTEXT_POSTGRES, KH_LIT("SELECT $a$ x $b$"), "do not end");
	refused(t, KH_SQLTEXT_POSTGRES, KH_LIT("SELECT E'\\'; DROP TABLE t; --'"), "backslash");
	refused(t, KH_SQLTEXT_POSTGRES, KH_LIT("SELECT E'a'\n'\\'; DROP TABLE t; --'"), "pieces");
	refused(t, KH_SQLTEXT_POSTGRES, KH_LIT("SELECT U&\"p\\0067_sleep\"(1)"), "Unicode escapes");
	refused(t, KH_SQLTEXT_SQLITE, KH_LIT("SELECT 1\0; DROP TABLE t"), "NUL");
	refused(t, KH_SQLTEXT_POSTGRES, KH_LIT("SELECT '\xff'"), "not UTF-8");
	char *big = kh_arena_alloc(&t->arena, KH_SQLTEXT_MAX + 1);
	if (big != NULL) {
		memset(big, ' ', KH_SQLTEXT_MAX + 1);
		memcpy(big, "SELECT 1", 8);
		refused(t, KH_SQLTEXT_SQLITE, kh_view_of(big, KH_SQLTEXT_MAX + 1), "65,536");
	}
}

/* E9: functions that read files, reach other servers, sleep, or change the session. */
static void test_functions(struct kh_test *t)
{
	static const char *const calls[] = {
		"SELECT pg_read_file('/etc/passwd')",
		"SELECT PG_READ_FILE ('/etc/passwd')",
		"SELECT pg_catalog.pg_read_binary_file('/etc/passwd')",
		"SELECT \"pg_read_file\"('/etc/passwd')",
		"SELECT pg_ls_dir('/')",
		"SELECT * FROM pg_stat_file('/etc/passwd')",
		"SELECT lo_import('/etc/passwd')",
		"SELECT lo_export(1, '/tmp/x')",
		"SELECT * FROM dblink('host=x', 'select 1') AS t(a int)",
		"SELECT dblink_exec('host=x', 'drop table t')",
		"SELECT pg_sleep/* */(100)",
		"SELECT pg_sleep_for('1 day')",
		"SELECT set_config('transaction_read_only', 'off', false)",
		"SELECT pg_terminate_backend(1)",
		"SELECT pg_advisory_lock(1)",
		"SELECT nextval('s')",
		"SELECT setval('s', 1)",
		"SELECT query_to_xml('delete from t', true, true, '')",
		"SELECT pg_reload_conf()",
		"SELECT pg_notify('a', 'b')",
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		refused(t, KH_SQLTEXT_POSTGRES, kh_view_str(calls[i]), "reaches past the data");
}

static yyjson_val *json(struct kh_test *t, const char *text)
{
	yyjson_val *root;

	must(t, kh_json_read(&t->arena, kh_view_str(text), &root, &t->err));
	return root;
}

/* E9: parameters are bound, never written into the text; names become places. */
static void test_bind(struct kh_test *t)
{
	struct kh_sqltext_bound bound;
	struct kh_view sql = KH_LIT("SELECT :a, ':a', x[1:n], y::int, :b /* :a */ FROM t WHERE c = :a");

	must(t, kh_sqltext_bind(&t->arena, sql, json(t, "{\"b\":2,\"a\":\"x'; DROP TABLE t\"}"), &bound, &t->err));
	assert_view(bound.sql, "SELECT $1, ':a', x[1:n], y::int, $2 /* :a */ FROM t WHERE c = $1");
	assert_int_equal(bound.count, 2);
	assert_view(kh_json_str(bound.value[0]), "x'; DROP TABLE t");
	must_fail(t, KH_EREFUSED, kh_sqltext_bind(&t->arena, sql, json(t, "{\"b\":2,\"c\":1}"), &bound, &t->err));
	assert_string_equal(t->err.code, "parameters_wrong");
	must(t, kh_sqltext_bind(&t->arena, sql, json(t, "[1,null]"), &bound, &t->err));
	assert_int_equal(bound.count, 2);
	assert_true(kh_view_eq(bound.sql, sql));
	must(t, kh_sqltext_bind(&t->arena, sql, NULL, &bound, &t->err));
	assert_int_equal(bound.count, 0);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_reads),   KH_TEST(test_begins),    KH_TEST(test_one),
	KH_TEST(test_unclear), KH_TEST(test_functions), KH_TEST(test_bind),
};
KH_TEST_MAIN(cases)
