/*
 * A statement for a PostgreSQL server.
 *
 * The connection: the socket that was handed in (handed.h), or libpq's own where there is none; TLS with the server's
 * name verified, unless plain or a Unix socket.  The session: read-only by default, with timeouts; then one read-only
 * transaction, in which one statement is sent by the extended protocol, which takes no second one; then ROLLBACK.
 * Rows are read one at a time, so that what is too much is never asked for whole.
 *
 * What the server lets its user do inside of that, it does: the rights of the role are the last net, and `keyhole
 * doctor` looks at them (errand/rights.h).
 */
#ifndef KH_WORKER_SQL_QUERY_POSTGRES_H
#define KH_WORKER_SQL_QUERY_POSTGRES_H

#include "worker/sql/sqljob.h"

/* Carries JOB out, whose statement passed kh_sqltext_check().  HANDED stays the caller's.  Codes: sql.h. */
enum kh_err kh_query_postgres_run(struct kh_arena *arena, const struct kh_sqljob *job, int handed,
				  struct kh_view *ret_json, struct kh_error *err) KH_CHECKED;

/* Loads libpq, so that no library needs to be opened later: for the worker, before it makes its filter smaller. */
enum kh_err kh_query_postgres_load(struct kh_error *err) KH_CHECKED;

#endif
