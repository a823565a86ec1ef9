/*
 * The external operations (E2): an allow-list of rows.  A name without a row does not exist, whatever it begins with.
 *
 *     comm.search {query, scope, limit}             comm.read {path}
 *     comm.fetch {url}                              comm.exec {command, args}
 *     comm.query {database, statement, params}      comm.mcp.<server>.<tool> {its arguments}
 *     comm.resource {server, uri}
 *
 * A row has everything about an operation except how it is run (errand/errand.h).  The members of a declaration, who
 * may call it, the keys of its rules, what counts as sent out, its MCP tool, its command and its shell completion
 * follow from the row.  The default of each member is the careful one: calls of a row without `permit` are refused, and
 * a row without `outbound` counts as leaving this machine.
 *
 * <server> is [a-z0-9][a-z0-9-]{0,31}, so it has no "__", no dot and no capital; <tool> is [A-Za-z0-9_-]{1,64}. The
 * engine knows whether such a server is configured and has such a tool.
 */
#ifndef KH_CORE_COMM_OPERATION_H
#define KH_CORE_COMM_OPERATION_H

#include "base/json.h"
#include "base/words.h"

enum kh_parameter_kind {
	KH_PARAMETER_QUERY,     /* a search text with meaningful words */
	KH_PARAMETER_SCOPE,     /* one of kh_operation_scope_words */
	KH_PARAMETER_LIMIT,     /* an integer from 1 to max */
	KH_PARAMETER_URL,       /* https */
	KH_PARAMETER_NAME,      /* a name in the configuration: [A-Za-z0-9_][A-Za-z0-9_.-]{0,63} */
	KH_PARAMETER_STATEMENT, /* SQL, or the name of a statement in the configuration */
	KH_PARAMETER_VALUES,    /* values to bind: an array or an object of at most max scalars */
	KH_PARAMETER_PATH,      /* without ".." and without invisible characters */
	KH_PARAMETER_COMMAND,   /* one word, without characters that are special to a shell */
	KH_PARAMETER_ARGS,      /* an array of at most max strings */
	KH_PARAMETER_SERVER,    /* the name of an upstream server: the call goes there */
	KH_PARAMETER_URI,       /* absolute, of any scheme, without "..", blanks and invisible characters */
};

/* The places that a search can look in. */
enum kh_scope { KH_SCOPE_WEB, KH_SCOPE_INTERNAL, KH_SCOPE_DATABASE, KH_SCOPE_COUNT };
extern const struct kh_words kh_operation_scope_words;

struct kh_parameter_spec {
	const char *name;
	enum kh_parameter_kind kind;
	bool required;
	size_t max;        /* bytes of a text, items of a list, or the value of a number */
	const char *about; /* what it is, for models and people: a phrase without a full stop */
	bool stays;        /* it is not sent; any other parameter counts as sent out if the call leaves (E5) */
	bool host;         /* it is a URL with the host that the call goes to */
};

/*
 * Which of a call's arguments a rule of the policy can allow.  Each is a key of a rule (docs/use/POLICY.md); only
 * operations that list it in their row have that key.  Without any of them every call is refused.
 */
enum kh_permit_key {
	KH_PERMIT_HOSTS = 1,       /* the host of a URL */
	KH_PERMIT_PATHS = 2,       /* a path; for a search the folders that it looks through */
	KH_PERMIT_SCOPES = 4,      /* the scope of a search */
	KH_PERMIT_DATABASES = 8,   /* a database; for a search those that it looks through */
	KH_PERMIT_STATEMENTS = 16, /* a statement by its name, and free SQL */
	KH_PERMIT_COMMANDS = 32,   /* a command by its name */
	KH_PERMIT_PATTERNS = 64,   /* what an upstream server is asked: only the patterns of `arguments` are checked */
};

/* When a call leaves this machine. */
enum kh_outbound {
	KH_OUTBOUND_ALWAYS,
	KH_OUTBOUND_BY_SCOPE,    /* if it searches the web, or a database behind a network */
	KH_OUTBOUND_BY_DATABASE, /* if its database is behind a network */
	KH_OUTBOUND_BY_TIER,     /* depends on its server's tier */
	KH_OUTBOUND_NEVER,
};

/* Which of the policy's time limits a call has (E7). */
enum kh_time_limit { KH_TIME_FILE, KH_TIME_NETWORK, KH_TIME_TOTAL };

enum kh_risk { KH_RISK_LOW, KH_RISK_MODERATE, KH_RISK_HIGH };

/* The worst effect that a call can have, in ascending order. */
enum kh_effect { KH_EFFECT_NONE, KH_EFFECT_CHANGE, KH_EFFECT_DELETE, KH_EFFECT_PAYMENT };

struct kh_operation {
	const char *name; /* "comm.fetch"; "comm.mcp" for all tools of upstream servers */
	const struct kh_parameter_spec *parameters;
	size_t parameter_count;
	unsigned permit;   /* of enum kh_permit_key */
	enum kh_risk risk; /* the default; a rule may change it */
	enum kh_effect effects;
	enum kh_outbound outbound;
	enum kh_time_limit time;
	bool is_upstream; /* its parameters are the tool's own and are not known here */
	/* Texts for the tool and the command. */
	const char *title;   /* for people: "Fetch a page or document" */
	const char *about;   /* in a list of commands: "fetch a URL, and seal it" */
	const char *says;    /* for a model: what it does, and when to call it */
	const char *example; /* of the tool's own arguments: members of a JSON object */
};

/* A table of rows: Keyhole's own (operations.h), or an upstream's. */
struct kh_operations {
	const struct kh_operation *at;
	size_t n;
};

/* A registered name, split into its parts. */
struct kh_operation_name {
	const struct kh_operation *operation;
	struct kh_view full;         /* "comm.mcp.files.read_file" */
	struct kh_view server, tool; /* of an upstream operation, else empty */
};

#define KH_OPERATION_NAME_MAX       128
#define KH_OPERATION_PARAMETERS_MAX 8  /* of a row */
#define KH_OPERATION_ARGUMENTS_MAX  64 /* of an upstream tool */

/*
 * Looks NAME up in FROM.  KH_EUNKNOWN with code `operation_unknown` if nothing of that name is registered;
 * KH_EREFUSED with `operation_malformed` if it only looks registered: another case, blanks, homoglyphs, full-width
 * or invisible characters, a bad server or tool name.  Borrows from NAME.
 */
enum kh_err kh_operation_find(struct kh_arena *arena, const struct kh_operations *from, struct kh_view name,
			      struct kh_operation_name *ret_name, struct kh_error *err) KH_CHECKED;

/* The row with exactly this name, not counting the upstream row, or NULL. */
const struct kh_operation *kh_operation_named(const struct kh_operations *from, struct kh_view name);

/* The row of FROM for the tools of upstream servers, or NULL. */
const struct kh_operation *kh_operation_upstream(const struct kh_operations *from);

/* Whether NAME has the form of an upstream server's name. */
bool kh_operation_is_server(struct kh_view name);

/* The upstream server that a call of NAME goes to: by the name of its tool, or by a parameter.  Empty: to none. */
struct kh_view kh_operation_server(const struct kh_operations *from, struct kh_view name, yyjson_val *parameters);

/* The name without "comm.", such as "fetch", for attributions. */
struct kh_view kh_operation_short(struct kh_view full);

/* Parameter NAME of OPERATION, or its first parameter of a kind; NULL if there is none. */
const struct kh_parameter_spec *kh_operation_parameter(const struct kh_operation *operation, struct kh_view name);
const struct kh_parameter_spec *kh_operation_of_kind(const struct kh_operation *operation, enum kh_parameter_kind kind);

/* On a command line a required parameter is a word, a list is all words that follow, and an option is "--name". */
bool kh_operation_is_list(const struct kh_parameter_spec *spec);
bool kh_operation_is_option(const struct kh_parameter_spec *spec);

/* The host that a call goes to, with its port if that is not the default one; empty if no parameter names a host. */
struct kh_view kh_operation_host(struct kh_arena *arena, const struct kh_operation *operation, yyjson_val *parameters);

#endif
