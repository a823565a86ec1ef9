/*
 * A statement for a PostgreSQL server.
 *
 * The connection: the socket that was handed in (handed.h), or libpq's own if there is none; TLS with the server's name
 * verified, unless plain or a Unix socket.  The session: read-only by default, with timeouts; then one read-only
 * transaction, in which one statement is sent by the extended protocol, which accepts no second one; then ROLLBACK.
 * Rows are read one at a time, so that a result that is too large is never held as a whole.
 *
 * Within that, the statement can do whatever the server permits its role.  The rights of the role are the last line of
 * defence, and `keyhole doctor` checks them (errand/rights.h).
 */
#ifndef KH_WORKER_SQL_QUERY_POSTGRES_H
#define KH_WORKER_SQL_QUERY_POSTGRES_H

#include "worker/sql/sqljob.h"

/* Carries JOB out, whose statement passed kh_sqltext_check().  The caller still owns HANDED.  Codes: sql.h. */
enum kh_err kh_query_postgres_run(struct kh_arena *arena, const struct kh_sqljob *job, int handed,
				  struct kh_view *ret_json, struct kh_error *err) KH_CHECKED;

/* Loads libpq, so that no library needs to be opened later: for the worker, before it installs its stricter filter. */
enum kh_err kh_query_postgres_load(struct kh_error *err) KH_CHECKED;

#endif
