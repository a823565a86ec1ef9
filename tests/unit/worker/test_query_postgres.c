#include "worker/sql/query_postgres.h"
#include "worker/sql/sql.h"

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * A server of a few bytes: what it says is scripted, so that it can say what no honest one would.  The real one is in
 * tests/system/query.
 */
struct server {
	const char *part[8];
	size_t n[8];
	bool holds; /* does not close its end, and says no more */
};

#define WELCOME "R\0\0\0\010\0\0\0\0Z\0\0\0\005I"
#define READ_ONLY                                                                                                    \
	"T\0\0\0\032\0\001x\0\0\0\0\0\0\0\0\0\0\031\377\377\377\377\377\377\0\0D\0\0\0\014\0\001\0\0\0\002onC\0\0\0" \
	"\015SELECT 1\0Z\0\0\0\005T"
#define PARSED "1\0\0\0\0042\0\0\0\004T\0\0\0\032\0\001n\0\0\0\0\0\0\0\0\0\0\027\377\377\377\377\377\377\0\0"
#define ROW    "D\0\0\0\014\0\001\0\0\0\00242"
#define ENDED  "C\0\0\0\015SELECT 1\0Z\0\0\0\005T"

/* Says one part for each message group that it hears, then closes. */
static void serve(int fd, const struct server *server)
{
	char heard[65536];

	for (size_t i = 0; i < 8 && server->part[i] != NULL; i++) {
		if (read(fd, heard, sizeof(heard)) <= 0)
			_exit(0);
		if (write(fd, server->part[i], server->n[i]) != (ssize_t)server->n[i])
			_exit(0);
	}
	while (server->holds && read(fd, heard, sizeof(heard)) > 0)
		;
	_exit(0);
}

static enum kh_err ask(struct kh_test *t, const struct server *server, const char *password, struct kh_view *ret_json)
{
	struct kh_sqljob job = {.host = KH_LIT("/nonexistent"),
				.port = 5432,
				.dbname = KH_LIT("d"),
				.user = KH_LIT("u"),
				.password = kh_view_str(password),
				.plain = true,
				.sql = KH_LIT("SELECT 42 AS n"),
				.rows = 3,
				.bytes = 4096,
				.seconds = 1};
	int pair[2], status;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(pair[0]);
		serve(pair[1], server);
	}
	close(pair[1]);
	enum kh_err e = kh_worker_sql_ask(&t->arena, &job, pair[0], ret_json, &t->err);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return e;
}

/* E9: a folder that is not there, a socket that is handed in: rows come out. */
static void test_rows(struct kh_test *t)
{
	struct server server = {
		{WELCOME, READ_ONLY, PARSED ROW ENDED, ENDED},
		{sizeof(WELCOME) - 1, sizeof(READ_ONLY) - 1, sizeof(PARSED ROW ENDED) - 1, sizeof(ENDED) - 1},
		false};
	struct kh_view json;

	enum kh_err e = ask(t, &server, "", &json);
	if (e != KH_OK)
		fail_msg("%s: %s", t->err.code, t->err.detail);
	assert_view(json, "{\"columns\":[\"n\"],\"rows\":[[42]],\"truncated\":false}");
}

/* E9: more rows than the cap: the rest is not waited for. */
static void test_cap(struct kh_test *t)
{
	struct server server = {{WELCOME, READ_ONLY, PARSED ROW ROW ROW ROW},
				{sizeof(WELCOME) - 1, sizeof(READ_ONLY) - 1, sizeof(PARSED ROW ROW ROW ROW) - 1},
				true};
	struct kh_view json;

	assert_int_equal(ask(t, &server, "", &json), KH_OK);
	assert_view(json, "{\"columns\":[\"n\"],\"rows\":[[42],[42],[42]],\"truncated\":true}");
}

/* E9: a server that does not begin a read-only transaction, breaks off, talks nonsense, asks for a file, or says
 * nothing at all. */
static void test_hostile(struct kh_test *t)
{
	static const struct {
		struct server server;
		const char *code;
	} all[] = {
		{{{"HTTP/1.1 200 OK\r\n\r\n"}, {19}, false}, "database_failed"},
		{{{WELCOME}, {sizeof(WELCOME) - 1}, false}, "database_failed"},
		{{{WELCOME}, {sizeof(WELCOME) - 1}, true}, "statement_late"},
		{{{WELCOME, "C\0\0\0\012BEGIN\0Z\0\0\0\005T"}, {sizeof(WELCOME) - 1, 17}, true}, "database_failed"},
		{{{WELCOME, READ_ONLY, "1\0\0\0\0042\0\0\0\004G\0\0\0\007\0\0\0"},
		  {sizeof(WELCOME) - 1, sizeof(READ_ONLY) - 1, 18},
		  true},
		 "statement_refused"},
		{{{WELCOME, READ_ONLY, PARSED "D\177\377\377\377\0\001"},
		  {sizeof(WELCOME) - 1, sizeof(READ_ONLY) - 1, sizeof(PARSED) - 1 + 7},
		  true},
		 NULL},
		{{{WELCOME, READ_ONLY, PARSED ROW},
		  {sizeof(WELCOME) - 1, sizeof(READ_ONLY) - 1, sizeof(PARSED ROW) - 1},
		  false},
		 "database_failed"},
		{{{"E\0\0\0\034SFATAL\0C28P01\0Mno sesame\0\0"}, {29}, false}, "database_failed"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view json;
		enum kh_err e = ask(t, &all[i].server, "sesame", &json);

		assert_true(e == KH_EREFUSED || e == KH_ELIMIT);
		if (all[i].code != NULL && strcmp(t->err.code, all[i].code) != 0)
			fail_msg("%zu: %s: %s", i, t->err.code, t->err.detail);
		assert_null(strstr(t->err.detail, "sesame")); /* a password is in no message, whoever said it */
	}
}

static void test_load(struct kh_test *t)
{
	assert_int_equal(kh_query_postgres_load(&t->err), KH_OK);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_load), KH_TEST_ONCE(test_rows), KH_TEST_ONCE(test_cap),
					    KH_TEST_ONCE(test_hostile)};
KH_TEST_MAIN(cases)
