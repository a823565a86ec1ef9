/*
 * The worker that queries a database: one statement (sqljob.h), its rows on standard output.  See worker/job.h for what
 * workers of a job share; a server's socket, which the executor connected, is the job's connection.
 */
#ifndef KH_WORKER_SQL_SQL_H
#define KH_WORKER_SQL_SQL_H

#include "worker/job.h"
#include "worker/sql/sqljob.h"

/* Loads libpq, if there is a socket to use it on. */
enum kh_err kh_worker_sql_load(bool connected, struct kh_error *err) KH_CHECKED;

/*
 * Carries JOB out.  HANDED: a socket that is already connected to the server and is closed here; -1 if there is none.
 * *RET_JSON is the result.  Error codes, whose details may quote the database (untrusted text): `statement_refused`,
 * `parameters_wrong`, `statement_failed`, `statement_late`, `result_too_large`, `database_failed`, `libpq`.
 */
enum kh_err kh_worker_sql_ask(struct kh_arena *arena, const struct kh_sqljob *job, int handed, struct kh_view *ret_json,
			      struct kh_error *err) KH_CHECKED;

enum kh_err kh_worker_sql_run(const struct kh_worker_job *job, struct kh_error *err) KH_CHECKED;

#endif
