/*
 * Drives libpq without ever waiting longer than the job may take.  Trusts neither the server nor the statement: the
 * server's answer is bounded by the caps, by this process's memory and by the clock.
 */
#include "worker/sql/query_postgres.h"

#include "base/clock.h"
#include "wire/sqlrows.h"
#include "worker/sql/handed.h"
#include "worker/sql/pq.h"
#include "worker/sql/sqltext.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define NOWHERE  "192.0.2.1" /* of a range reserved for examples: nothing ever connects to it */
#define SETTINGS 16
#define GRACE_MS 500 /* for the server to report by itself that a statement timed out */

/* Files in which systems keep all certificates that they trust. */
static const char *const stores[] = {
	"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/cert.pem",
};

/* Types whose text is a JSON number, by their fixed ids in pg_type. */
enum type { BOOL = 16, INT8 = 20, INT2 = 21, INT4 = 23, OID = 26, FLOAT4 = 700, FLOAT8 = 701 };

struct query {
	struct kh_arena *arena;
	const struct kh_sqljob *job;
	struct kh_error *err;
	struct kh_pq pq;
	PGconn *conn;
	int64_t deadline_ms;
};

struct settings {
	const char *name[SETTINGS + 1], *value[SETTINGS + 1];
	size_t n;
};

static enum kh_err late(struct query *query)
{
	return kh_error_set(query->err, KH_ELIMIT, "statement_late", "it did not end within %llu seconds",
			    (unsigned long long)query->job->seconds);
}

/* Fails with what libpq or the server said, in quotes of ours. */
static enum kh_err say(struct query *query, const char *code, const char *what, const char *said)
{
	struct kh_view text = kh_view_trim(kh_view_str(said != NULL ? said : ""));
	struct kh_view quoted = kh_arena_quote_most(query->arena, text, 180);

	if (quoted.p == NULL)
		return KH_ENOMEM;
	return kh_error_set(query->err, KH_EREFUSED, code, "%s: %.*s", what, KH_FMT(quoted));
}

/* libpq's message begins with the address that it believes it has connected to, which is a dummy. */
static enum kh_err not_connected(struct query *query)
{
	const char *said = query->conn != NULL ? query->pq.errorMessage(query->conn) : "out of memory";
	const char *why = strncmp(said, "connection to ", 14) == 0 ? strstr(said, " failed: ") : NULL;

	return say(query, "database_failed", "no connection to the server, or lost",
		   why != NULL ? why + strlen(" failed: ") : said);
}

/* Drops notices, which would go to standard error. */
static void no_notice(void *ctx, const char *message)
{
	(void)ctx;
	(void)message;
}

/* Waits for EVENTS on the connection; KH_ELIMIT if the time is over. */
static enum kh_err wait_for(struct query *query, short events)
{
	struct pollfd fd = {.fd = query->pq.socket(query->conn), .events = events};

	for (;;) {
		int64_t left = query->deadline_ms - kh_clock_ms();
		if (left <= 0)
			return late(query);
		int n = poll(&fd, 1, left < 60000 ? (int)left : 60000);
		if (n > 0)
			return KH_OK;
		if (n < 0 && errno != EINTR)
			return say(query, "database_failed", "waiting for the server", strerrordesc_np(errno));
	}
}

static void set(struct query *query, struct settings *settings, const char *name, struct kh_view value)
{
	settings->name[settings->n] = name;
	settings->value[settings->n++] = kh_sqljob_text(query->arena, value);
}

static struct kh_view authority(const struct kh_sqljob *job)
{
	if (job->authority.n > 0)
		return job->authority;
	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++)
		if (access(stores[i], R_OK) == 0)
			return kh_view_str(stores[i]);
	return kh_view_str(stores[0]);
}

/* All settings of the connection: nothing is taken from files, the environment or a home folder. */
static void make_settings(struct query *query, bool handed, struct settings *settings)
{
	const struct kh_sqljob *job = query->job;
	bool local = job->host.p[0] == '/';

	set(query, settings, "host", job->host);
	/* So that no name is looked up; the host's name is used for the certificate. */
	if (!local && handed)
		set(query, settings, "hostaddr", KH_LIT(NOWHERE));
	set(query, settings, "port", kh_arena_printf(query->arena, "%llu", (unsigned long long)job->port));
	set(query, settings, "dbname", job->dbname);
	set(query, settings, "user", job->user);
	set(query, settings, "password", job->password);
	set(query, settings, "passfile", KH_LIT("/nonexistent/password"));
	set(query, settings, "sslmode", job->plain || local ? KH_LIT("disable") : KH_LIT("verify-full"));
	set(query, settings, "sslrootcert", authority(job));
	set(query, settings, "sslcert", KH_LIT("/nonexistent/certificate"));
	set(query, settings, "sslcrl", KH_LIT("/nonexistent/crl"));
	set(query, settings, "gssencmode", KH_LIT("disable"));
	set(query, settings, "client_encoding", KH_LIT("UTF8"));
	set(query, settings, "application_name", KH_LIT("keyhole"));
}

static enum kh_err finish_connecting(struct query *query)
{
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;
	enum kh_err e = KH_OK;

	while (e == KH_OK && status != PGRES_POLLING_OK) {
		if (status == PGRES_POLLING_FAILED || query->pq.status(query->conn) == CONNECTION_BAD)
			return not_connected(query);
		e = wait_for(query, status == PGRES_POLLING_READING ? POLLIN : POLLOUT);
		if (e == KH_OK)
			status = query->pq.connectPoll(query->conn);
	}
	return e;
}

static enum kh_err open_connection(struct query *query, int handed)
{
	struct settings settings = {.n = 0};

	make_settings(query, handed >= 0, &settings);
	if (kh_arena_check(query->arena) != KH_OK)
		return KH_ENOMEM;
	/* PostgreSQL's own variables would change the settings, and so would files in a home folder. */
	if (setenv("HOME", "/nonexistent", 1) != 0)
		return KH_ENOMEM;
	if (handed >= 0)
		kh_handed_arm(handed);
	query->conn = query->pq.connectStartParams(settings.name, settings.value, 0);
	if (query->conn == NULL)
		return not_connected(query);
	query->pq.setNoticeProcessor(query->conn, no_notice, NULL);
	enum kh_err e = finish_connecting(query);
	if (e == KH_OK && query->pq.setnonblocking(query->conn, 1) != 0)
		e = not_connected(query);
	return e;
}

/* Sends everything that is buffered. */
static enum kh_err flush(struct query *query)
{
	int more;

	while ((more = query->pq.flush(query->conn)) > 0) {
		enum kh_err e = wait_for(query, POLLIN | POLLOUT);
		if (e != KH_OK)
			return e;
		if (query->pq.consumeInput(query->conn) == 0)
			return not_connected(query);
	}
	return more == 0 ? KH_OK : not_connected(query);
}

/* The next result; NULL: there are no more. */
static enum kh_err next_result(struct query *query, PGresult **ret_result)
{
	while (query->pq.isBusy(query->conn)) {
		enum kh_err e = wait_for(query, POLLIN);
		if (e != KH_OK)
			return e;
		if (query->pq.consumeInput(query->conn) == 0)
			return not_connected(query);
	}
	*ret_result = query->pq.getResult(query->conn);
	return KH_OK;
}

/* The server's error about a statement that it rejected. */
static enum kh_err statement_failed(struct query *query, const PGresult *result)
{
	const char *state = query->pq.resultErrorField(result, PG_DIAG_SQLSTATE);
	const char *said = query->pq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	if (state == NULL) /* libpq's own message: the connection broke, or there was no memory for a row */
		return not_connected(query);
	if (strcmp(state, "57014") == 0)
		return late(query);
	if (strcmp(state, "25006") == 0)
		return say(query, "statement_refused", "only reading is allowed; the server says", said);
	if (strcmp(state, "08P01") == 0)
		return say(query, "parameters_wrong", "the server says", said);
	return say(query, "statement_failed", "the server says", said);
}

/* Runs SQL of our own and, if VALUE, returns the first value of the last row. */
static enum kh_err run_own(struct query *query, const char *sql, bool *ret_is_on)
{
	PGresult *result = NULL;
	enum kh_err e = KH_OK, bad = KH_OK;

	if (query->pq.sendQuery(query->conn, sql) == 0)
		return not_connected(query);
	e = flush(query);
	while (e == KH_OK && (e = next_result(query, &result)) == KH_OK && result != NULL) {
		ExecStatusType status = query->pq.resultStatus(result);

		if (status == PGRES_TUPLES_OK && query->pq.ntuples(result) == 1)
			*ret_is_on = strcmp(query->pq.getvalue(result, 0, 0), "on") == 0;
		else if (status != PGRES_COMMAND_OK && bad == KH_OK)
			bad = statement_failed(query, result);
		query->pq.clear(result);
	}
	return e != KH_OK ? e : bad;
}

/*
 * Sets up the session and its one transaction.  The last statement takes the transaction's snapshot: after it the
 * server refuses to make the transaction writable, whoever asks.
 */
static enum kh_err begin(struct query *query)
{
	unsigned long long ms = (unsigned long long)query->job->seconds * 1000;
	struct kh_view sql = kh_arena_printf(
		query->arena,
		"SET default_transaction_read_only = on; SET statement_timeout = %llu; SET lock_timeout = %llu;"
		"SET idle_in_transaction_session_timeout = %llu; SET standard_conforming_strings = on;"
		"SET bytea_output = hex; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = iso_8601;"
		"BEGIN TRANSACTION READ ONLY; SELECT pg_catalog.current_setting('transaction_read_only')",
		ms, ms, ms + 60000);
	bool is_on = false;

	if (sql.p == NULL)
		return KH_ENOMEM;
	enum kh_err e = run_own(query, kh_sqljob_text(query->arena, sql), &is_on);
	if (e == KH_OK && !is_on)
		e = kh_error_set(query->err, KH_EREFUSED, "database_failed",
				 "the server did not begin a transaction "
				 "that only reads");
	return e;
}

static enum kh_err send(struct query *query)
{
	const char *values[KH_SQLTEXT_VALUES] = {NULL};
	struct kh_sqltext_bound bound;
	enum kh_err e = kh_sqltext_bind(query->arena, query->job->sql, query->job->params, &bound, query->err);

	if (e != KH_OK)
		return e;
	for (size_t i = 0; i < bound.count; i++) {
		struct kh_view text = kh_sqljob_value(query->arena, bound.value[i]);

		if (text.n > 0 && memchr(text.p, '\0', text.n) != NULL)
			return kh_error_set(query->err, KH_EREFUSED, "parameters_wrong",
					    "value %zu holds a NUL character, which PostgreSQL has not", i + 1);
		values[i] = text.p != NULL ? kh_sqljob_text(query->arena, text) : NULL;
	}
	const char *sql = kh_sqljob_text(query->arena, bound.sql);
	if (kh_arena_check(query->arena) != KH_OK)
		return KH_ENOMEM;
	if (query->pq.sendQueryParams(query->conn, sql, (int)bound.count, NULL, values, NULL, NULL, 0) == 0 ||
	    query->pq.setSingleRowMode(query->conn) == 0)
		return not_connected(query);
	return flush(query);
}

static void put_value(struct query *query, const PGresult *result, struct kh_sqlrows *rows, int row, int column)
{
	struct kh_view text = kh_view_of(query->pq.getvalue(result, row, column),
					 (size_t)query->pq.getlength(result, row, column));

	if (query->pq.getisnull(result, row, column)) {
		kh_sqlrows_null(rows);
		return;
	}
	switch (query->pq.ftype(result, column)) {
	case BOOL:
		kh_sqlrows_bool(rows, text.n > 0 && text.p[0] == 't');
		break;
	case INT2:
	case INT4:
	case INT8:
	case OID:
	case FLOAT4:
	case FLOAT8:
		kh_sqlrows_digits(rows, text);
		break;
	default:
		kh_sqlrows_text(rows, text);
	}
}

static void put_columns(struct query *query, const PGresult *result, struct kh_sqlrows *rows)
{
	for (int i = 0; i < query->pq.nfields(result); i++)
		kh_sqlrows_column(rows, kh_view_str(query->pq.fname(result, i)));
}

/* Adds the rows of one result, which is one row in single-row mode.  False: no more are wanted. */
static bool put_rows(struct query *query, const PGresult *result, struct kh_sqlrows *rows)
{
	int columns = query->pq.nfields(result);

	for (int row = 0; row < query->pq.ntuples(result); row++) {
		if (!kh_sqlrows_begin(rows))
			return false;
		for (int i = 0; i < columns; i++)
			put_value(query, result, rows, row, i);
		if (!kh_sqlrows_end(rows))
			return false;
	}
	return true;
}

/* Handles RESULT.  *RET_MORE: there is more to read. */
static enum kh_err take_result(struct query *query, const PGresult *result, struct kh_sqlrows *rows, bool *columns,
			       bool *ret_more)
{
	ExecStatusType status = query->pq.resultStatus(result);

	*ret_more = false;
	if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE)
		return statement_failed(query, result);
	if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK)
		return kh_error_set(query->err, KH_EREFUSED, "statement_refused", "it is not one that only reads");
	if (query->pq.nfields(result) > KH_SQLROWS_COLUMNS)
		return kh_error_set(query->err, KH_ELIMIT, "result_too_large", "more than %d columns",
				    KH_SQLROWS_COLUMNS);
	if (!*columns)
		put_columns(query, result, rows);
	*columns = true;
	*ret_more = put_rows(query, result, rows);
	return KH_OK;
}

static enum kh_err read_rows(struct query *query, struct kh_sqlrows *rows, bool *ret_ended)
{
	bool columns = false, more = true;
	PGresult *result = NULL;
	enum kh_err e = KH_OK;

	*ret_ended = false;
	while (e == KH_OK && more) {
		e = next_result(query, &result);
		if (e != KH_OK)
			break;
		if (result == NULL) {
			*ret_ended = true;
			break;
		}
		e = take_result(query, result, rows, &columns, &more);
		query->pq.clear(result);
	}
	return e;
}

static enum kh_err run(struct query *query, int handed, struct kh_view *ret_json)
{
	struct kh_sqlrows rows;
	bool ended = false, is_on;
	enum kh_err e = open_connection(query, handed);

	if (e == KH_OK)
		e = begin(query);
	/* The server's own timeout comes first, so that nothing is left running there. */
	query->deadline_ms = kh_clock_ms() + (int64_t)query->job->seconds * 1000 + GRACE_MS;
	if (e == KH_OK)
		e = send(query);
	kh_sqlrows_init(&rows, query->arena, query->job->rows, query->job->bytes);
	if (e == KH_OK)
		e = read_rows(query, &rows, &ended);
	if (e == KH_OK)
		e = kh_sqlrows_json(&rows, ret_json, query->err);
	/* If more rows would follow, closing the connection ends the transaction. */
	if (e == KH_OK && ended && run_own(query, "ROLLBACK", &is_on) == KH_ENOMEM)
		e = KH_ENOMEM;
	return e;
}

enum kh_err kh_query_postgres_load(struct kh_error *err)
{
	struct kh_pq pq;

	return kh_pq_load(&pq, err);
}

enum kh_err kh_query_postgres_run(struct kh_arena *arena, const struct kh_sqljob *job, int handed,
				  struct kh_view *ret_json, struct kh_error *err)
{
	struct query query = {.arena = arena, .job = job, .err = err};
	enum kh_err e = kh_pq_load(&query.pq, err);

	if (e != KH_OK)
		return e;
	query.deadline_ms = kh_clock_ms() + (int64_t)job->seconds * 1000;
	e = run(&query, handed, ret_json);
	kh_handed_disarm();
	if (query.conn != NULL)
		query.pq.finish(query.conn);
	return e;
}
