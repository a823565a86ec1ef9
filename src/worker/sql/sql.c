/*
 * The worker `query`: reads its job, has it carried out, writes what came.
 *
 * Trusts whoever wrote the job, and neither the file nor the server.
 */
#include "worker/sql/sql.h"

#include "worker/sql/query_postgres.h"
#include "worker/sql/query_sqlite.h"

enum kh_err kh_worker_sql_load(bool connected, struct kh_error *err)
{
	kh_query_sqlite_bound();
	return connected ? kh_query_postgres_load(err) : KH_OK;
}

enum kh_err kh_worker_sql_run(const struct kh_worker_job *job, struct kh_error *err)
{
	struct kh_view json = {NULL, 0};
	struct kh_sqljob sql;
	enum kh_err e = kh_sqljob_read(job->arena, job->root, &sql, err);

	if (e == KH_OK && sql.file.n == 0 && job->connection < 0)
		return kh_error_set(err, KH_EINPUT, "job_refused", "a server without a connection to it");
	if (e == KH_OK)
		e = kh_sqljob_run(job->arena, &sql, job->connection, &json, err);
	if (e == KH_OK && !kh_worker_job_write(job, json))
		e = kh_error_set(err, KH_EREFUSED, "job_refused", "nobody takes the result");
	return e;
}
