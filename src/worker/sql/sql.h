/*
 * The worker that asks a database: one statement (sqljob.h), its rows on standard output.  See worker/job.h for what
 * workers of a job share; a server's socket, which the executor connected, is the job's connection.
 */
#ifndef KH_WORKER_SQL_SQL_H
#define KH_WORKER_SQL_SQL_H

#include "worker/job.h"

/* libpq, where there is a socket to use it on. */
enum kh_err kh_worker_sql_load(bool connected, struct kh_error *err) KH_CHECKED;

enum kh_err kh_worker_sql_run(const struct kh_worker_job *job, struct kh_error *err) KH_CHECKED;

#endif
