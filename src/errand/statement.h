/*
 * A statement for a database of the configuration, carried out by the worker `query` in a sandbox of its own: what
 * comm.query, the search of tables and the doctor have in common.
 *
 * A file of SQLite is seen there with the files beside it that belong to it, and nothing else of its folder.  A server
 * is connected to by the executor, which resolves its name and checks its address as for a fetch (E8).  The password
 * goes over the worker's standard input: never into arguments, the environment, a log or an error.
 */
#ifndef KH_ERRAND_STATEMENT_H
#define KH_ERRAND_STATEMENT_H

#include "errand/errand.h"

struct kh_statement {
	const struct kh_config_database *database; /* its caps on rows, bytes and time hold */
	struct kh_view password;                   /* empty: none */
	struct kh_view sql;
	yyjson_val *params; /* an array or an object, or NULL */
	uint64_t wall_ms;   /* for everything */
};

struct kh_statement_result {
	bool done;
	/* Where done: the world's words, in the form of wire/sqlrows.h, which was checked. */
	yyjson_val *columns; /* strings */
	yyjson_val *rows;    /* arrays of as many values, none of them an array or object */
	bool truncated;
	/* Else: */
	struct kh_tainted code; /* what the worker said, a word of docs/reference/CODES.md; may be empty */
	struct kh_view why;     /* our own sentence, with the database's words quoted */
};

/* Carries STATEMENT out.  Fails for lack of memory alone. */
enum kh_err kh_statement_run(const struct kh_errand_tools *tools, const struct kh_statement *statement,
			     struct kh_arena *arena, struct kh_statement_result *ret_result) KH_CHECKED;

/* DATABASE for an attribution: "database crm", "postgresql://db.example.com/crm"; no user, no password. */
struct kh_view kh_statement_source(struct kh_arena *arena, const struct kh_config_database *database);

/* The password of DATABASE, which is one of the configuration's; empty: none. */
struct kh_view kh_statement_password(const struct kh_errand_tools *tools, const struct kh_config_database *database);

#endif
