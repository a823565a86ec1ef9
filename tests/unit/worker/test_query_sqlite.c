#include "worker/sql/query_sqlite.h"
#include "worker/sql/sql.h"

#include "harness.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct place {
	char folder[64], file[96];
};

static void beside(const struct place *place, const char *suffix, char path[128])
{
	snprintf(path, 128, "%s%s", place->file, suffix);
}

static void run_sql(const struct place *place, const char *sql)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(place->file, &db), SQLITE_OK);
	char *message = NULL;
	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
	sqlite3_close(db);
}

#define PEOPLE                                                       \
	"CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT, x);" \
	"INSERT INTO people VALUES (1,'Ada',1.5),(2,'Grace',NULL),"  \
	"(3,X'61ff',X'00ff'),(9007199254740993,'big',9e999);"

static void make_place(struct place *place, const char *sql)
{
	snprintf(place->folder, sizeof(place->folder), "/tmp/keyhole-sqlite-XXXXXX");
	assert_non_null(mkdtemp(place->folder));
	assert_int_equal(chmod(place->folder, 0755), 0);
	snprintf(place->file, sizeof(place->file), "%s/a b%%?.db", place->folder);
	run_sql(place, sql);
}

static void drop_place(const struct place *place)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	char path[128];

	chmod(place->folder, 0700);
	for (size_t i = 0; i < 4; i++) {
		beside(place, suffixes[i], path);
		unlink(path);
	}
	assert_int_equal(rmdir(place->folder), 0);
}

static struct kh_sqljob job_of(const struct place *place, const char *sql)
{
	return (struct kh_sqljob){
		.file = kh_view_str(place->file), .sql = kh_view_str(sql), .rows = 100, .bytes = 65536, .seconds = 10};
}

static enum kh_err ask(struct kh_test *t, const struct place *place, const char *sql, struct kh_view *ret_json)
{
	struct kh_sqljob job = job_of(place, sql);

	return kh_worker_sql_ask(&t->arena, &job, -1, ret_json, &t->err);
}

static void refused(struct kh_test *t, const struct place *place, const char *sql, const char *code)
{
	struct kh_view json = {NULL, 0};

	if (ask(t, place, sql, &json) == KH_OK)
		fail_msg("%s gave %.*s", sql, KH_FMT(json));
	if (strcmp(t->err.code, code) != 0)
		fail_msg("%s: %s: %s", sql, t->err.code, t->err.detail);
}

/* E9: rows come with the types that they have. */
static void test_rows(struct kh_test *t)
{
	struct place place;
	struct kh_view json;

	make_place(&place, PEOPLE);
	enum kh_err e = ask(t, &place, "SELECT * FROM people ORDER BY id; -- all", &json);
	drop_place(&place);
	must(t, e);
	assert_view(
		json,
		"{\"columns\":[\"id\",\"name\",\"x\"],\"rows\":[[1,\"Ada\",1.5],[2,\"Grace\",null],"
		"[3,\"\\\\x61ff\",\"\\\\x00ff\"],[\"9007199254740993\",\"big\",\"Infinity\"]],\"truncated\":false}");
}

static yyjson_val *json_of(struct kh_test *t, const char *text)
{
	yyjson_val *root = NULL;

	assert_int_equal(kh_json_read(&t->arena, kh_view_str(text), &root, &t->err), KH_OK);
	return root;
}

/* E9: parameters are bound, by place and by name, and have to be as many as there are. */
static void test_params(struct kh_test *t)
{
	static const struct {
		const char *sql, *params, *gives;
	} all[] = {
		{"SELECT ?, ?2", "[1,\"x' OR 1\"]", "[[1,\"x' OR 1\"]]"},
		{"SELECT :a, @b, $a", "{\"b\":null,\"a\":true}", "[[1,null,1]]"},
		{"SELECT name FROM people WHERE name = ?", "[\"Ada' OR '1'='1\"]", "[]"},
		{"SELECT ?", "[0.25]", "[[0.25]]"},
		{"SELECT ?, ?", "[1]", NULL},
		{"SELECT ?", "[1,2]", NULL},
		{"SELECT ?", "{\"a\":1}", NULL},
		{"SELECT :a", "{\"a\":1,\"b\":2}", NULL},
		{"SELECT :a", "{\"b\":2}", NULL},
		{"SELECT ?", "[]", NULL},
	};
	struct place place;

	make_place(&place, PEOPLE);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_sqljob job = job_of(&place, all[i].sql);
		struct kh_view json;

		job.params = json_of(t, all[i].params);
		enum kh_err e = kh_worker_sql_ask(&t->arena, &job, -1, &json, &t->err);
		if (all[i].gives == NULL) {
			assert_int_equal(e, KH_EREFUSED);
			assert_string_equal(t->err.code, "parameters_wrong");
		} else {
			assert_int_equal(e, KH_OK);
			assert_true(kh_view_find(json, kh_view_str(all[i].gives), 0) != SIZE_MAX);
		}
	}
	drop_place(&place);
}

/* E9: whatever passes as the text of a query, the authorizer lets nothing through but reading. */
static void test_denied(struct kh_test *t)
{
	static const char *const statements[] = {
		"WITH x AS (SELECT 1) INSERT INTO people(name) SELECT 'x'",
		"WITH x AS (SELECT 1) DELETE FROM people",
		"WITH x AS (SELECT 1) UPDATE people SET name = 'x'",
		"WITH x AS (SELECT 1) REPLACE INTO people(id) VALUES (1)",
		"SELECT load_extension('/tmp/x.so')",
		"SELECT fts3_tokenizer('simple')",
		"SELECT sqlite_compileoption_get(1)",
		"SELECT * FROM pragma_journal_mode",
		"SELECT * FROM pragma_table_info('people')",
	};
	static const char *const unknown[] = {
		"SELECT readfile('/etc/passwd')",
		"SELECT writefile('/tmp/x', 'y')",
		"SELECT edit('x')",
		"SELECT * FROM dbstat",
		"SELECT * FROM generate_series(1, 10)",
		"SELECT * FROM fts3tokenize('simple', 'x')",
		"SELECT * FROM nowhere",
		"SELECT * FROM other.people",
		"SELECT 'x",
	};
	struct place place;

	make_place(&place, PEOPLE);
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		refused(t, &place, statements[i], "statement_refused");
	for (size_t i = 0; i + 1 < sizeof(unknown) / sizeof(unknown[0]); i++)
		refused(t, &place, unknown[i], "statement_failed");
	refused(t, &place, unknown[8], "statement_refused");
	drop_place(&place);
}

/* E9: statements that never end, and results that never do, are cut. */
static void test_bounded(struct kh_test *t)
{
	struct place place;
	struct kh_view json;
	struct kh_sqljob job;

	make_place(&place, PEOPLE);
	job = job_of(&place, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");
	job.seconds = 1;
	assert_int_equal(kh_worker_sql_ask(&t->arena, &job, -1, &json, &t->err), KH_ELIMIT);
	assert_string_equal(t->err.code, "statement_late");
	job.sql = KH_LIT("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n");
	assert_int_equal(kh_worker_sql_ask(&t->arena, &job, -1, &json, &t->err), KH_OK);
	assert_true(kh_view_ends(json, KH_LIT(",[100]],\"truncated\":true}")));
	job.rows = 1000000;
	assert_int_equal(kh_worker_sql_ask(&t->arena, &job, -1, &json, &t->err), KH_OK);
	assert_in_range(json.n, 60000, 65536 + 32);
	assert_true(kh_view_ends(json, KH_LIT("\"truncated\":true}")));
	refused(t, &place, "SELECT zeroblob(1000000000)", "statement_failed");
	assert_int_equal(ask(t, &place, "SELECT printf('%1000000000d', 1) AS x", &json), KH_OK);
	assert_view(json, "{\"columns\":[\"x\"],\"rows\":[[null]],\"truncated\":false}");
	refused(t, &place, "SELECT hex(randomblob(10000000))", "statement_failed");
	refused(t, &place, "SELECT zeroblob(1000000)", "result_too_large");
	refused(t, &place, "SELECT replace(hex(zeroblob(100000)), '0', hex(zeroblob(100000)))", "statement_failed");
	drop_place(&place);
}

/* Asks in a process that may write nothing there: root may everywhere, so it becomes another user. */
static void ask_unprivileged(struct kh_test *t, const struct place *place, const char *want)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct kh_view json = {NULL, 0};

		if (geteuid() == 0 && (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0))
			_exit(2);
		enum kh_err e = ask(t, place, "SELECT count(*) AS n FROM people", &json);
		bool good = kh_view_eq(e == KH_OK ? json : kh_view_str(t->err.detail), kh_view_str(want));
		if (!good)
			fprintf(stderr, "%s %.*s\n", t->err.detail, e == KH_OK ? (int)json.n : 0, json.p);
		_exit(good ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#define COUNTED(n) "{\"columns\":[\"n\"],\"rows\":[[" #n "]],\"truncated\":false}"

/* E9: a file in WAL mode is read with its log, without one, and in a folder that cannot be written to. */
static void test_wal(struct kh_test *t)
{
	struct place place;
	char path[128];
	sqlite3 *writer = NULL;

	make_place(&place, "PRAGMA journal_mode=WAL;" PEOPLE);
	assert_int_equal(chmod(place.folder, 0555), 0);
	/* As the last writer left it: one file. */
	beside(&place, "-wal", path);
	assert_int_equal(access(path, F_OK), -1);
	ask_unprivileged(t, &place, COUNTED(4));
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(chmod(place.folder, 0755), 0);
	/* With a writer at work: what it has committed is seen, though it is in the log alone. */
	assert_int_equal(sqlite3_open(place.file, &writer), SQLITE_OK);
	assert_int_equal(sqlite3_exec(writer, "INSERT INTO people(name) VALUES ('late')", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(chmod(place.folder, 0555), 0);
	ask_unprivileged(t, &place, COUNTED(5));
	/* As a writer left it that was killed: the log, and with or without the index of the log. */
	struct place copy = place;
	snprintf(copy.file, sizeof(copy.file), "%s/copy.db", place.folder);
	assert_int_equal(chmod(place.folder, 0755), 0);
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	for (size_t i = 0; i < 3; i++) {
		char from[128], bytes[65536];
		beside(&place, suffixes[i], from);
		beside(&copy, suffixes[i], path);
		int in = open(from, O_RDONLY), out = open(path, O_WRONLY | O_CREAT, 0644);
		ssize_t n;
		while ((n = read(in, bytes, sizeof(bytes))) > 0)
			assert_int_equal(write(out, bytes, (size_t)n), n);
		close(in);
		close(out);
	}
	assert_int_equal(chmod(place.folder, 0555), 0);
	ask_unprivileged(t, &copy, COUNTED(5));
	assert_int_equal(chmod(place.folder, 0755), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(chmod(place.folder, 0555), 0);
	ask_unprivileged(t, &copy,
			 "its log (-wal) waits to be read by a program that may write: open it with one, or "
			 "grant its -shm");
	assert_int_equal(chmod(place.folder, 0755), 0);
	for (size_t i = 0; i < 2; i++) {
		beside(&copy, suffixes[i], path);
		unlink(path);
	}
	sqlite3_close(writer);
	drop_place(&place);
}

/* E9: what a hostile file has in its schema is not trusted. */
static void test_hostile_schema(struct kh_test *t)
{
	struct place place;
	struct kh_view json;

	make_place(&place,
		   PEOPLE "CREATE VIEW loads AS SELECT load_extension('/tmp/x.so');"
			  "CREATE VIEW settings AS SELECT * FROM pragma_database_list;"
			  "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
			  " SELECT count(*) FROM n;"
			  "CREATE VIEW fine AS SELECT name FROM people;"
			  "CREATE TRIGGER t INSTEAD OF INSERT ON fine BEGIN DELETE FROM people; END;"
			  "CREATE VIRTUAL TABLE f USING fts5(x);");
	refused(t, &place, "SELECT * FROM loads", "statement_failed");
	refused(t, &place, "SELECT * FROM settings", "statement_failed");
	refused(t, &place, "SELECT * FROM f", "statement_failed");
	struct kh_sqljob job = job_of(&place, "SELECT * FROM endless");
	job.seconds = 1;
	assert_int_equal(kh_worker_sql_ask(&t->arena, &job, -1, &json, &t->err), KH_ELIMIT);
	assert_int_equal(ask(t, &place, "SELECT count(*) FROM fine", &json), KH_OK);
	assert_int_equal(ask(t, &place, "SELECT key, value AS v FROM json_each('[8]')", &json), KH_OK);
	assert_view(json, "{\"columns\":[\"key\",\"v\"],\"rows\":[[0,8]],\"truncated\":false}");
	drop_place(&place);
}

/* E9: a file that is broken, cut, empty, none at all, or no file ends as failed. */
static void test_broken(struct kh_test *t)
{
	struct place place;

	make_place(&place, PEOPLE);
	int fd = open(place.file, O_RDWR);
	char junk[4096];
	memset(junk, 0xa5, sizeof(junk));
	assert_int_equal(pwrite(fd, junk, 4000, 100), 4000);
	refused(t, &place, "SELECT * FROM people", "database_failed");
	assert_int_equal(pwrite(fd, junk, sizeof(junk), 0), (ssize_t)sizeof(junk));
	refused(t, &place, "SELECT * FROM people", "database_failed");
	assert_int_equal(ftruncate(fd, 100), 0);
	refused(t, &place, "SELECT * FROM people", "database_failed");
	assert_int_equal(ftruncate(fd, 0), 0);
	refused(t, &place, "SELECT * FROM people", "statement_failed");
	close(fd);
	assert_int_equal(unlink(place.file), 0);
	refused(t, &place, "SELECT * FROM people", "database_failed");
	assert_int_equal(access(place.file, F_OK), -1); /* and is not made */
	assert_int_equal(mkdir(place.file, 0700), 0);
	refused(t, &place, "SELECT * FROM people", "database_failed");
	assert_int_equal(rmdir(place.file), 0);
	assert_int_equal(mkfifo(place.file, 0600), 0);
	refused(t, &place, "SELECT * FROM people", "database_failed");
	drop_place(&place);
}

/* Every byte of a small file changed in turn: failed or answered, never worse. */
static void test_flipped(struct kh_test *t)
{
	struct place place;
	struct kh_view json;
	char before[8192];

	make_place(&place, "PRAGMA page_size=512; CREATE TABLE t(a, b); CREATE INDEX i ON t(a);"
			   "INSERT INTO t VALUES (1, 'x'), (2, zeroblob(700)), (3, 'z');");
	int fd = open(place.file, O_RDWR);
	ssize_t size = pread(fd, before, sizeof(before), 0);
	assert_in_range(size, 1024, sizeof(before));
	for (ssize_t i = 0; i < size; i += 3) {
		char byte = (char)~before[i];

		assert_int_equal(pwrite(fd, &byte, 1, i), 1);
		struct kh_sqljob job = job_of(&place, "SELECT * FROM t WHERE a > 0 ORDER BY a");
		job.seconds = 1;
		enum kh_err e = kh_worker_sql_ask(&t->arena, &job, -1, &json, &t->err);
		assert_true(e == KH_OK || e == KH_EREFUSED || e == KH_ELIMIT);
		assert_int_equal(pwrite(fd, &before[i], 1, i), 1);
		kh_arena_clear(&t->arena);
	}
	close(fd);
	drop_place(&place);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_rows),         KH_TEST_ONCE(test_params),  KH_TEST_ONCE(test_denied),
	KH_TEST_ONCE(test_bounded), KH_TEST_ONCE(test_wal),     KH_TEST_ONCE(test_hostile_schema),
	KH_TEST_ONCE(test_broken),  KH_TEST_ONCE(test_flipped),
};
KH_TEST_MAIN(cases)
