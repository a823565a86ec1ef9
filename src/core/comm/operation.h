/*
 * The external operations (E2): an allow-list.  One table names them and their parameters; a name that is not in it
 * does not exist, whatever it begins with.
 *
 *     comm.search {query, scope, limit}             comm.read {path}
 *     comm.fetch {url}                              comm.exec {command, args}
 *     comm.query {database, statement, params}      comm.mcp.<server>.<tool> {its arguments}
 *
 * <server> is [a-z0-9][a-z0-9-]{0,31}, so it has no "__", no dot and no capital; <tool> is [A-Za-z0-9_-]{1,64}. Whether
 * such a server is configured and has such a tool is the engine's to know.
 */
#ifndef KH_CORE_COMM_OPERATION_H
#define KH_CORE_COMM_OPERATION_H

#include "base/error.h"

enum kh_parameter_kind {
	KH_PARAMETER_QUERY,     /* a search text that says something */
	KH_PARAMETER_SCOPE,     /* web, internal or database */
	KH_PARAMETER_LIMIT,     /* an integer from 1 to max */
	KH_PARAMETER_URL,       /* https */
	KH_PARAMETER_NAME,      /* of something in the configuration: [A-Za-z0-9_][A-Za-z0-9_.-]{0,63} */
	KH_PARAMETER_STATEMENT, /* SQL, or the name of a statement in the configuration */
	KH_PARAMETER_VALUES,    /* to bind: an array or an object of at most max scalars */
	KH_PARAMETER_PATH,      /* without ".." and without invisible characters */
	KH_PARAMETER_COMMAND,   /* one word, without anything that means something to a shell */
	KH_PARAMETER_ARGS,      /* an array of at most max strings */
};

struct kh_parameter_spec {
	const char *name;
	enum kh_parameter_kind kind;
	bool required;
	size_t max; /* bytes of a text, items of a list, or the value of a number */
};

struct kh_operation {
	const char *name; /* "comm.fetch"; "comm.mcp" for all tools of upstream servers */
	const struct kh_parameter_spec *parameters;
	size_t parameter_count;
	bool is_upstream; /* its parameters are the tool's own, and not known here */
};

/* A registered name, taken apart. */
struct kh_operation_name {
	const struct kh_operation *operation;
	struct kh_view full;         /* "comm.mcp.files.read_file" */
	struct kh_view server, tool; /* of an upstream operation, else empty */
};

#define KH_OPERATION_NAME_MAX      128
#define KH_OPERATION_ARGUMENTS_MAX 64 /* of an upstream tool */

/*
 * Looks NAME up.  KH_EUNKNOWN with code `operation_unknown` where nothing of that name is registered; KH_EREFUSED with
 * `operation_malformed` where it only looks registered: another case, blanks, homoglyphs, full-width or invisible
 * characters, a bad server or tool name.  Borrows from NAME.
 */
enum kh_err kh_operation_find(struct kh_arena *arena, struct kh_view name, struct kh_operation_name *ret_name,
			      struct kh_error *err) KH_CHECKED;

/* The name without "comm.": "fetch", as attributions have it. */
struct kh_view kh_operation_short(struct kh_view full);

/* Parameter NAME of OPERATION, or NULL. */
const struct kh_parameter_spec *kh_operation_parameter(const struct kh_operation *operation, struct kh_view name);

/* The table, in the order of the documentation. */
const struct kh_operation *kh_operation_table(size_t *ret_count);

#endif
