/*
 * A statement for a database of the configuration, carried out by the worker `query` in a sandbox of its own: shared by
 * comm.query, the search of tables and the doctor.
 *
 * The sandbox sees a file of SQLite and the files beside it that belong to it, and nothing else of its folder.  The
 * executor connects to a server, after resolving its name and checking its address as for a fetch (E8).  The password
 * goes over the worker's standard input: never into arguments, the environment, a log or an error.
 */
#ifndef KH_ERRAND_STATEMENT_H
#define KH_ERRAND_STATEMENT_H

#include "errand/errand.h"

struct kh_statement {
	const struct kh_config_database *database; /* its caps on rows, bytes and time apply */
	struct kh_view password;                   /* empty: none */
	struct kh_view sql;
	yyjson_val *params; /* an array or an object, or NULL */
	uint64_t wall_ms;   /* for everything */
	struct kh_errand_limits limits;
};

struct kh_statement_result {
	bool done;
	/* If done: untrusted, but the form of wire/sqlrows.h was checked. */
	yyjson_val *columns; /* strings */
	yyjson_val *rows;    /* arrays of as many values, none of them an array or object */
	bool truncated;
	/* If not done: */
	struct kh_tainted code; /* the worker's code, of docs/reference/CODES.md; may be empty */
	struct kh_view why;     /* our own sentence, with the database's text quoted */
};

/* Carries STATEMENT out.  Fails only for lack of memory. */
enum kh_err kh_statement_run(const struct kh_errand_tools *tools, const struct kh_statement *statement,
			     struct kh_arena *arena, struct kh_statement_result *ret_result) KH_CHECKED;

/* DATABASE for an attribution: "database crm", "postgresql://db.example.com/crm"; no user, no password. */
struct kh_view kh_statement_source(struct kh_arena *arena, const struct kh_config_database *database);

/* The password of DATABASE, which is one of the configuration's; empty: none. */
struct kh_view kh_statement_password(const struct kh_errand_tools *tools, const struct kh_config_database *database);

#endif
