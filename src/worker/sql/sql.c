/*
 * The worker `query`: reads its job, carries it out, writes the result.
 *
 * Trusts the job's author, and neither the file nor the server.
 */
#include "worker/sql/sql.h"

#include "worker/deadline.h"
#include "worker/sql/query_postgres.h"
#include "worker/sql/query_sqlite.h"
#include "worker/sql/sqltext.h"

#include <unistd.h>

#define GRACE_MS 500 /* in which a statement that looks at the clock ends by itself */

enum kh_err kh_worker_sql_load(bool connected, struct kh_error *err)
{
	kh_query_sqlite_bound();
	return connected ? kh_query_postgres_load(err) : KH_OK;
}

/* A driver's message should have no password in it; if it ever has one, it is hidden. */
static void hide_password(const struct kh_sqljob *job, struct kh_error *err)
{
	if (err != NULL && job->password.n > 0 && kh_view_find(kh_view_str(err->detail), job->password, 0) != SIZE_MAX)
		memcpy(err->detail, "the database says", sizeof("the database says"));
}

enum kh_err kh_worker_sql_ask(struct kh_arena *arena, const struct kh_sqljob *job, int handed, struct kh_view *ret_json,
			      struct kh_error *err)
{
	enum kh_sqltext_dialect dialect = job->file.n > 0 ? KH_SQLTEXT_SQLITE : KH_SQLTEXT_POSTGRES;
	enum kh_err e = kh_sqltext_check(arena, job->sql, dialect, err);

	if (e == KH_OK && dialect == KH_SQLTEXT_SQLITE)
		e = kh_query_sqlite_run(arena, job, ret_json, err);
	else if (e == KH_OK)
		e = kh_query_postgres_run(arena, job, handed, ret_json, err);
	if (handed >= 0)
		close(handed);
	if (e != KH_OK)
		hide_password(job, err);
	return e;
}

/*
 * One step of SQLite's machine can take minutes: printf with a precision of a thousand million, or LIKE with many % over
 * a long text.  Nothing looks at the clock in it.
 */
static enum kh_err set_deadline(const struct kh_worker_job *job, const struct kh_sqljob *sql, struct kh_error *err)
{
	struct kh_view late = kh_arena_printf(job->arena, "it did not end within %llu seconds",
					      (unsigned long long)sql->seconds);

	if (late.p == NULL)
		return KH_ENOMEM;
	if (kh_deadline_set(sql->seconds * 1000 + GRACE_MS, job->timed, "statement_late", late.p) != KH_OK)
		return kh_error_set(err, KH_ELIMIT, "job_refused", "its time cannot be bounded");
	return KH_OK;
}

enum kh_err kh_worker_sql_run(const struct kh_worker_job *job, struct kh_error *err)
{
	struct kh_view json = {NULL, 0};
	struct kh_sqljob sql;
	enum kh_err e = kh_sqljob_read(job->arena, job->root, &sql, err);

	if (e == KH_OK && sql.file.n == 0 && job->connection < 0)
		return kh_error_set(err, KH_EINPUT, "job_refused", "a server without a connection to it");
	if (e == KH_OK && job->timed >= 0)
		e = set_deadline(job, &sql, err);
	if (e == KH_OK)
		e = kh_worker_sql_ask(job->arena, &sql, job->connection, &json, err);
	return e == KH_OK ? kh_worker_job_write(job, json, err) : e;
}
