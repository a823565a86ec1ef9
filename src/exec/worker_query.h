/*
 * The worker that asks a database: one statement (sqljob.h), its rows on standard output.  See worker_job.h for what
 * workers of a job share; a server's socket, which the executor connected, is the job's connection.
 */
#ifndef KH_EXEC_WORKER_QUERY_H
#define KH_EXEC_WORKER_QUERY_H

#include "exec/worker_job.h"

/* libpq, where there is a socket to use it on. */
enum kh_err kh_worker_query_load(bool connected, struct kh_error *err) __attribute__((warn_unused_result));

enum kh_err kh_worker_query_run(const struct kh_worker_job *job, struct kh_error *err)
	__attribute__((warn_unused_result));

#endif
