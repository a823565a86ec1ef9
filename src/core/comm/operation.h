/*
 * The external operations (E2): an allow-list of rows.  A name that no row has does not exist, whatever it begins with.
 *
 *     comm.search {query, scope, limit}             comm.read {path}
 *     comm.fetch {url}                              comm.exec {command, args}
 *     comm.query {database, statement, params}      comm.mcp.<server>.<tool> {its arguments}
 *
 * A row is all that is known of an operation but how it is carried out (errand/errand.h).  What a declaration may have,
 * who may call it, the keys of its rules, what counts as sent out, its MCP tool, its command and what shells complete
 * follow from the row.  What a row does not say is the careful thing: a row without `permit` is refused, and one that
 * does not say how far it reaches leaves this machine.
 *
 * <server> is [a-z0-9][a-z0-9-]{0,31}, so it has no "__", no dot and no capital; <tool> is [A-Za-z0-9_-]{1,64}. Whether
 * such a server is configured and has such a tool is the engine's to know.
 */
#ifndef KH_CORE_COMM_OPERATION_H
#define KH_CORE_COMM_OPERATION_H

#include "base/json.h"

enum kh_parameter_kind {
	KH_PARAMETER_QUERY,     /* a search text that says something */
	KH_PARAMETER_SCOPE,     /* one of kh_operation_scopes */
	KH_PARAMETER_LIMIT,     /* an integer from 1 to max */
	KH_PARAMETER_URL,       /* https */
	KH_PARAMETER_NAME,      /* of something in the configuration: [A-Za-z0-9_][A-Za-z0-9_.-]{0,63} */
	KH_PARAMETER_STATEMENT, /* SQL, or the name of a statement in the configuration */
	KH_PARAMETER_VALUES,    /* to bind: an array or an object of at most max scalars */
	KH_PARAMETER_PATH,      /* without ".." and without invisible characters */
	KH_PARAMETER_COMMAND,   /* one word, without anything that means something to a shell */
	KH_PARAMETER_ARGS,      /* an array of at most max strings */
};

/* Where a search looks. */
enum kh_scope { KH_SCOPE_WEB, KH_SCOPE_INTERNAL, KH_SCOPE_DATABASE, KH_SCOPE_COUNT };
extern const char *const kh_operation_scopes[KH_SCOPE_COUNT];

struct kh_parameter_spec {
	const char *name;
	enum kh_parameter_kind kind;
	bool required;
	size_t max;        /* bytes of a text, items of a list, or the value of a number */
	const char *about; /* what it is, for models and people: a phrase without a full stop */
	bool stays;        /* it is not sent: what does not say so counts as sent out by a call that leaves (E5) */
	bool host;         /* a URL that names the host which the call goes to */
};

/*
 * What of a call's arguments a rule of the policy can allow: each is a key of a rule (docs/use/POLICY.md), which only the
 * operations have that say so here.  Without any of them every call is refused.
 */
enum kh_permit_key {
	KH_PERMIT_HOSTS = 1,       /* the host of a URL */
	KH_PERMIT_PATHS = 2,       /* a path; of a search the folders that it looks through */
	KH_PERMIT_SCOPES = 4,      /* where a search looks */
	KH_PERMIT_DATABASES = 8,   /* a database; of a search those that it looks through */
	KH_PERMIT_STATEMENTS = 16, /* a statement by its name, and free SQL */
	KH_PERMIT_COMMANDS = 32,   /* a command by its name */
	KH_PERMIT_TOOL = 64,       /* an upstream's tool: its name and the patterns of `arguments` are all there is */
};

/* When a call leaves this machine. */
enum kh_outbound {
	KH_OUTBOUND_ALWAYS,
	KH_OUTBOUND_BY_SCOPE,    /* where it searches the web, or a database behind a network */
	KH_OUTBOUND_BY_DATABASE, /* where its database is behind a network */
	KH_OUTBOUND_BY_TIER,     /* where its server is */
	KH_OUTBOUND_NEVER,
};

enum kh_risk { KH_RISK_LOW, KH_RISK_MODERATE, KH_RISK_HIGH };

/* The worst that a call can do, in this order. */
enum kh_effect { KH_EFFECT_NONE, KH_EFFECT_CHANGE, KH_EFFECT_DELETE, KH_EFFECT_PAYMENT };

struct kh_operation {
	const char *name; /* "comm.fetch"; "comm.mcp" for all tools of upstream servers */
	const struct kh_parameter_spec *parameters;
	size_t parameter_count;
	unsigned permit;   /* of enum kh_permit_key */
	enum kh_risk risk; /* unless a rule says otherwise */
	enum kh_effect effects;
	enum kh_outbound outbound;
	bool is_upstream; /* its parameters are the tool's own, and not known here */
	/* Texts: of the tool, of the command. */
	const char *title;   /* for people: "Fetch a page or document" */
	const char *about;   /* in a list of commands: "fetch a URL, and seal it" */
	const char *says;    /* for a model: what it does, and when to call it */
	const char *example; /* of the tool's own arguments: members of a JSON object */
};

/* Where rows come from: Keyhole's own table (operations.h), or what an upstream has. */
struct kh_operations {
	const struct kh_operation *at;
	size_t n;
};

/* A registered name, taken apart. */
struct kh_operation_name {
	const struct kh_operation *operation;
	struct kh_view full;         /* "comm.mcp.files.read_file" */
	struct kh_view server, tool; /* of an upstream operation, else empty */
};

#define KH_OPERATION_NAME_MAX       128
#define KH_OPERATION_PARAMETERS_MAX 8  /* of a row */
#define KH_OPERATION_ARGUMENTS_MAX  64 /* of an upstream tool */

/*
 * Looks NAME up in FROM.  KH_EUNKNOWN with code `operation_unknown` where nothing of that name is registered;
 * KH_EREFUSED with `operation_malformed` where it only looks registered: another case, blanks, homoglyphs, full-width
 * or invisible characters, a bad server or tool name.  Borrows from NAME.
 */
enum kh_err kh_operation_find(struct kh_arena *arena, const struct kh_operations *from, struct kh_view name,
			      struct kh_operation_name *ret_name, struct kh_error *err) KH_CHECKED;

/* The row of exactly this name that is no upstream's, or NULL. */
const struct kh_operation *kh_operation_named(const struct kh_operations *from, struct kh_view name);

/* The row of FROM for the tools of upstream servers, or NULL. */
const struct kh_operation *kh_operation_upstream(const struct kh_operations *from);

/* The name without "comm.": "fetch", as attributions have it. */
struct kh_view kh_operation_short(struct kh_view full);

/* Parameter NAME of OPERATION, or NULL; and the first of this kind. */
const struct kh_parameter_spec *kh_operation_parameter(const struct kh_operation *operation, struct kh_view name);
const struct kh_parameter_spec *kh_operation_of_kind(const struct kh_operation *operation, enum kh_parameter_kind kind);

/* On a command line a required parameter is a word, and a list is all words that follow; what is an option is
 * "--name". */
bool kh_operation_is_list(const struct kh_parameter_spec *spec);
bool kh_operation_is_option(const struct kh_parameter_spec *spec);

/* The host that a call goes to, with its port where that is not the usual one; empty where no parameter names one. */
struct kh_view kh_operation_host(struct kh_arena *arena, const struct kh_operation *operation, yyjson_val *parameters);

#endif
