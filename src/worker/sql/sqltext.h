/*
 * Checks the text of a statement before a database sees it: it must be one statement, and begin as one that only reads.
 * The database itself protects the data (an authorizer; a read-only transaction, the role's rights).  This check is the
 * first of two barriers, and the one with readable errors.
 *
 * Strings, quoted names, comments and semicolons are recognized as in the dialect.  If two readings are possible, the
 * text is refused.
 */
#ifndef KH_WORKER_SQL_SQLTEXT_H
#define KH_WORKER_SQL_SQLTEXT_H

#include "base/json.h"

#define KH_SQLTEXT_MAX    65536 /* bytes of a statement */
#define KH_SQLTEXT_VALUES 64    /* values that can be bound */

enum kh_sqltext_dialect { KH_SQLTEXT_SQLITE, KH_SQLTEXT_POSTGRES };

/*
 * KH_EREFUSED, code `statement_refused`, if SQL is not valid UTF-8 or holds a NUL, is longer than KH_SQLTEXT_MAX, is
 * empty, does not begin with SELECT, WITH or VALUES (TABLE: PostgreSQL), holds a second statement, an unfinished string
 * or comment, or (PostgreSQL) calls a function that reaches beyond the data: files, programs, other servers, sessions,
 * settings, sleep.
 */
enum kh_err kh_sqltext_check(struct kh_arena *arena, struct kh_view sql, enum kh_sqltext_dialect dialect,
			     struct kh_error *err) KH_CHECKED;

/* A statement with placeholders $1, $2, ... and their values. */
struct kh_sqltext_bound {
	struct kh_view sql;
	yyjson_val *value[KH_SQLTEXT_VALUES];
	size_t count;
};

/*
 * For PostgreSQL, which has no named parameters.  PARAMS as an array is bound in its order.  If it is an object,
 * `:name` outside of strings stands for the member of that name, if there is one.  NULL: nothing is bound.
 * KH_EREFUSED, code `parameters_wrong`, if a member is not used in SQL, or there are too many.  SQL passed
 * kh_sqltext_check().
 */
enum kh_err kh_sqltext_bind(struct kh_arena *arena, struct kh_view sql, yyjson_val *params,
			    struct kh_sqltext_bound *ret_bound, struct kh_error *err) KH_CHECKED;

#endif
