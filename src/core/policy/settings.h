/*
 * The content of keyhole.yaml as structs (SPEC I8): the policy, the Readers, how the audit is kept, and how clients
 * reach the gateway.  This header has only the data, and functions that find its parts. keys.h and sources.h have the
 * tables that fill it; policy.h and config.h check it and derive values from it.  docs/use/POLICY.md says what the keys
 * of `policy` mean, docs/use/CONFIGURATION.md those of all others.
 */
#ifndef KH_CORE_POLICY_SETTINGS_H
#define KH_CORE_POLICY_SETTINGS_H

#include "base/canonical.h"
#include "core/policy/risk.h"
#include "core/policy/schema.h"
#include "core/policy/tier.h"
#include "core/screen/screen.h"

struct kh_lookup;

/* --- the policy --------------------------------------------------------------------------------------------------- */

enum kh_role {
	KH_ROLE_CONTROLLER,
	KH_ROLE_READER,
	KH_ROLE_SUPERVISOR,
	KH_ROLE_HOST,
	KH_ROLE_REVIEWER,
	KH_ROLE_ADMIN,
	KH_ROLE_HOOK
};
extern const struct kh_words kh_policy_role_words;

enum kh_permission { KH_PERMISSION_ALLOW, KH_PERMISSION_DENY };
enum kh_approval_mode {
	KH_APPROVAL_BY_RISK, /* low risk is approved without a human, moderate and high are asked (E6) */
	KH_APPROVAL_AUTO,
	KH_APPROVAL_ASK,
};
enum kh_network { KH_NETWORK_OFF, KH_NETWORK_READONLY, KH_NETWORK_ON };
enum kh_lint { KH_LINT_ADVICE, KH_LINT_REFUSE };
enum kh_release { KH_RELEASE_SLOTS, KH_RELEASE_IMMEDIATE };
/* What a task's plan is for (E1). */
enum kh_plan_use {
	KH_PLAN_FREE,  /* a plan that names operations binds to them; one that names none leaves them to the policy */
	KH_PLAN_NAMED, /* a plan has to name its operations */
	KH_PLAN_ASK,   /* as free, and a human reads every plan first */
};
enum kh_fenced { KH_FENCED_NEVER, KH_FENCED_ALLOW }; /* E12 */

/* A limit that the file does not give: KH_POLICY_CONTEXTS times what a context may have. */
#define KH_POLICY_FROM_CONTEXT UINT64_MAX
#define KH_POLICY_CONTEXTS     4

struct kh_policy_budgets {
	uint64_t task_bits, context_bits;
	uint64_t escalations, context_escalations, retries;
	uint64_t task_put_bytes, context_put_bytes; /* of content that is put in */
	/* Of a token and the tokens that it made, over any 24 hours (G4); KH_POLICY_FROM_CONTEXT until it is derived. */
	uint64_t token_bits, token_escalations, token_put_bytes;
	uint64_t alert_percent;
};

/* Rates of queries to one Reader, or to all Readers without rates of their own (B9). */
struct kh_policy_rates {
	struct kh_view reader; /* a name or glob; empty in the default */
	struct kh_rate category_1, category_2, category_3;
	struct kh_list readers; /* of struct kh_policy_rates; empty in these */
};

#define KH_POLICY_GIVEN "given:" /* of an origin: then comes the role of whoever put it in */

/* K8: sealed content from ORIGIN may be sent if the parameter's value matches one of TO. */
struct kh_policy_destination {
	struct kh_view origin;    /* see struct kh_permit_origin */
	struct kh_view parameter; /* the one that names the destination; empty: the tool itself is the destination */
	struct kh_texts to;
};

/* A named statement. */
struct kh_policy_statement {
	struct kh_view name, database, sql;
	unsigned line;
};

/* What a command may use at most; 0 until the policy's own limit is filled in. */
struct kh_policy_command_limits {
	uint64_t seconds, memory_bytes, processes, output_bytes, disk_bytes;
};

/* A named command: `{1}` in an argument stands for the first of the call's args (template.h). */
struct kh_policy_command {
	struct kh_view name;
	struct kh_texts argv;
	struct kh_texts read,
		write; /* absolute paths that it sees besides its workspace; it may change those of `write` */
	struct kh_policy_command_limits limits;
	unsigned line;
};

/*
 * A condition on a call's arguments: PARAMETER must be a text, or a list of texts, and each text must match one of TO.
 */
struct kh_policy_argument {
	struct kh_view parameter; /* `params.customer`: a member of an object */
	struct kh_texts to;       /* patterns as of kh_match_value() */
	unsigned line;
};

/* What a Controller gets of a tool's result (U6). */
enum kh_policy_results {
	KH_RESULTS_SEALED,  /* a block's id */
	KH_RESULTS_TYPED,   /* the same, and typed members of it can be asked for without a Reader (U7) */
	KH_RESULTS_TRUSTED, /* all of it, as vetted data: the policy's word that nothing in it is an outsider's */
	KH_RESULTS_FENCED,  /* all of it in a fence, which makes the context's taint high (E12) */
};

enum kh_policy_elicitation {
	KH_ELICITATION_DECLINE,
	KH_ELICITATION_ASK, /* an approval for a human (U3) */
};

/* What a typed member of a result is (U7).  The words from DATE on are those of formats with a finite grammar (B7). */
enum kh_policy_type {
	KH_POLICY_TYPE_BOOLEAN,
	KH_POLICY_TYPE_ENUM,    /* one of `values` */
	KH_POLICY_TYPE_INTEGER, /* from `min` to `max` */
	KH_POLICY_TYPE_LENGTH,  /* of an array: 0 to `most` */
	KH_POLICY_TYPE_DATE,
	KH_POLICY_TYPE_TIME,
	KH_POLICY_TYPE_DATETIME,
	KH_POLICY_TYPE_PHONE,
	KH_POLICY_TYPE_NUMBER,
	KH_POLICY_TYPE_AMOUNT,
	KH_POLICY_TYPE_YES_NO,
	KH_POLICY_TYPE_COUNTRY,
	KH_POLICY_TYPE_LANGUAGE,
};
extern const struct kh_words kh_policy_type_words;

/* A typed member of a result, which is asked for by its name. */
struct kh_policy_member {
	struct kh_view name;
	struct kh_view pointer; /* RFC 6901, in structuredContent; one step may be `*`: every item of an array */
	enum kh_policy_type type;
	struct kh_texts values; /* of an enum: at least two, [A-Za-z0-9_.-]{1,64} */
	int64_t min, max;       /* of an integer */
	uint64_t most;          /* items of the array that is measured, or that `*` stands for; 0: there is none */
	unsigned line;
};

/* A rule about one operation, or about the tools that a glob names.  The first rule that matches counts. */
struct kh_policy_rule {
	struct kh_view name;
	enum kh_permission permission;
	enum kh_risk risk;
	enum kh_tier tier;
	enum kh_effect effects;
	enum kh_approval_mode approval;
	unsigned roles;           /* bits of enum kh_role */
	struct kh_texts agents;   /* globs of token names; empty: all.  For other tokens the next rule is tried */
	struct kh_list arguments; /* of struct kh_policy_argument: each must be met */
	struct kh_rate rate;      /* none: the tier's rate, and 10 a minute for the network */
	struct kh_texts content_parameters;
	struct kh_list destinations; /* of struct kh_policy_destination */
	/* Only for tools. */
	struct kh_texts control_parameters; /* decide where content goes; so does each that is in neither list (U5) */
	enum kh_policy_results results;
	struct kh_list own;    /* of struct kh_policy_argument; of a host's tool: which results are the user's own */
	struct kh_list fields; /* of struct kh_policy_member; for typed results */
	enum kh_policy_elicitation elicitation;
	/* Only for operations whose row has these keys (enum kh_permit_key). */
	struct kh_texts hosts;       /* empty means every public host */
	struct kh_texts paths;       /* of a path: empty means none; of a search: folders of the index, empty: all */
	unsigned scopes;             /* bits of enum kh_scope */
	struct kh_texts databases;   /* globs; empty means all that are configured */
	struct kh_list statements;   /* of struct kh_policy_statement */
	enum kh_permission free_sql; /* SQL that is not a named statement */
	struct kh_list commands;     /* of struct kh_policy_command */
	unsigned line;               /* of the file; 0: built in */
	struct kh_view path;         /* "policy.tools[2]"; "default" for what is built in */
};

/* One more rule for the screen (S3). */
struct kh_policy_screen {
	struct kh_view name, code, pattern, positive, negative;
	enum kh_severity severity;
	unsigned line;
};

/* What one external operation may use at most (E7).  A tier can shorten the time. */
struct kh_policy_limits {
	uint64_t network_seconds; /* of an operation that may use the network */
	uint64_t file_seconds;    /* of one that reads a file */
	uint64_t total_seconds;   /* of a command, and of every operation */
	uint64_t memory_bytes, processes, output_bytes, disk_bytes;
};

/* What the gates need to know of an upstream server (U5). */
struct kh_policy_upstream {
	struct kh_view name;
	bool is_url;      /* it is reached over the network, and does not run here */
	bool is_remote;   /* it is, or it reaches hosts: a call leaves this machine */
	bool is_keeping;  /* it may write somewhere, or what it gets leaves: arguments count as sent */
	uint64_t seconds; /* of a call */
};

struct kh_policy_approvals {
	uint64_t expiry_seconds;
	uint64_t max_pending;
};

struct kh_policy {
	struct kh_view version; /* the operator's own name for it; may be empty */
	struct kh_policy_budgets budgets;
	struct kh_policy_rates rates;
	enum kh_lint lint;
	enum kh_release release;
	enum kh_plan_use plan;
	enum kh_fenced fenced;
	enum kh_trust user_messages;
	struct kh_risk_table taint_risk;
	struct kh_list tools;      /* of struct kh_policy_rule */
	struct kh_list operations; /* of struct kh_policy_rule */
	enum kh_network network;
	uint64_t egress_bytes;  /* a task */
	uint64_t reader_egress; /* bytes of a task's queries to Readers behind a network (E5) */
	struct kh_policy_limits limits;
	struct kh_list screen; /* of struct kh_policy_screen */
	struct kh_policy_approvals approvals;
	unsigned line; /* of `policy:` */
	/* Set when the file is read. */
	struct kh_view file;
	const struct kh_lookup *tool_lookup, *operation_lookup; /* over the rules: lookup.h */
	struct kh_list built_in;          /* of struct kh_policy_rule: one for each row, used if no rule matches */
	struct kh_texts remote_databases; /* names of configured databases behind a network */
	bool is_search_remote;            /* comm.search looks through a table in one of these */
	struct kh_list upstreams;         /* of struct kh_policy_upstream: those that are enabled */
	struct kh_digest digest;          /* of the canonical JSON: the policy version that grants are bound to */
};

/* --- the whole file ----------------------------------------------------------------------------------------------- */

#define KH_CONFIG_EXTRACT     "extract" /* the Reader that is always there */
#define KH_CONFIG_ARGUMENTS   32768     /* bytes of all of a program's arguments and paths */
#define KH_CONFIG_READER_TIME 30        /* seconds for an answer, by default */
#define KH_CONFIG_LISTEN      "127.0.0.1:7433"
#define KH_CONFIG_SOCKET      "mcp.sock"
#define KH_CONFIG_RETRIES     2 /* of a request to a model, by default */
#define KH_CONFIG_NOT_SAID    UINT64_MAX

enum kh_config_driver {
	KH_CONFIG_DRIVER_EXTRACT,   /* built in: finds by rule */
	KH_CONFIG_DRIVER_COMMAND,   /* a program, in a sandbox of its own for every query */
	KH_CONFIG_DRIVER_OPENAI,    /* a model behind an OpenAI-compatible chat endpoint */
	KH_CONFIG_DRIVER_ANTHROPIC, /* a model behind the Messages API */
};
extern const struct kh_words kh_settings_driver_words;

/* UNSAID is not a word of the file: it marks a key that was left out, until the defaults are filled in. */
enum kh_config_switch { KH_CONFIG_FALSE, KH_CONFIG_TRUE, KH_CONFIG_UNSAID };
extern const struct kh_words kh_settings_switch_words;

struct kh_config_reader {
	struct kh_view name; /* the name that a query's `target` gives */
	enum kh_config_driver driver;
	struct kh_texts argv; /* command: the first is an absolute path */
	struct kh_texts read; /* command: further absolute paths that it can read */
	/* openai, anthropic */
	struct kh_view url;      /* of the endpoint; https, or http if `local` */
	struct kh_view model;    /* its name there */
	struct kh_view key_file; /* a file with the API key: an absolute path, or a name in the home folder; or */
	struct kh_view key_environment; /* the name of a variable of the environment; neither: no key is sent */
	struct kh_view authority;       /* a PEM file of CAs to trust in place of the system's; empty: the system's */
	enum kh_config_switch local;    /* the endpoint may be at a private or loopback address, by plain http */
	enum kh_config_switch internal; /* words to it stay with whom the operator trusts (E1), as on loopback */
	enum kh_config_switch schema;   /* openai: ask for response_format json_schema; FALSE: json_object */
	uint64_t max_tokens;            /* of an answer; 0: by the query's size */
	uint64_t retries;               /* on 429 and 5xx, within the timeout; default 2 */
	/* command, openai, anthropic */
	uint64_t timeout_seconds; /* for the whole query, with retries */
	uint64_t concurrency;     /* queries at once; 0: no limit of its own */
	unsigned line;            /* of the file; 0: built in */
};

/* How clients reach the gateway. */
struct kh_config_gateway {
	struct kh_texts listen; /* "127.0.0.1:7433" (the default), "[::1]:7433"; none: no HTTP */
	struct kh_view socket;  /* the Unix socket of relays (I9); relative to the home folder; `mcp.sock` */
	struct kh_view tls_certificate, tls_key; /* PEM files; both or none; relative to the home folder */
	enum kh_config_switch plain; /* plain HTTP on an address that is not loopback; needed for that without TLS */
	struct kh_texts hosts;       /* names that a request's Host may have besides loopback's */
	struct kh_texts origins;     /* web pages that may call */
	struct kh_view url;          /* the address for links that people open; empty: the first of `listen` */
	uint64_t connections;        /* at once; 10,000 */
	uint64_t wait_seconds;       /* how long a call waits before it answers `pending` (A5); 50 */
	uint64_t stop_seconds;       /* how long a stop waits for running work; 10 */
	uint64_t pool;               /* sandboxes of each kind that are kept ready; 1 */
	unsigned line;               /* of `gateway:`; 0: not there */
};

struct kh_config_audit {
	struct kh_view witness_file; /* absolute path; empty: none */
	enum kh_config_switch witness_syslog;
	struct kh_texts witness_command;                /* argv, the first an absolute path; empty: none */
	uint64_t checkpoint_events, checkpoint_seconds; /* a checkpoint after so many or so long, whichever is first */
	uint64_t retention_days;                        /* of raw responses and sealed content; 0: kept */
	unsigned line;                                  /* of `audit:`; 0: not there */
};

/* A database that comm.query and comm.search may read: a file of SQLite, or a server of PostgreSQL. */
struct kh_config_database {
	struct kh_view name;
	struct kh_view file; /* SQLite: an absolute path */
	/* PostgreSQL */
	struct kh_view host; /* a name or an address; or the absolute path of the folder with its Unix socket */
	uint64_t port;       /* default 5432 */
	struct kh_view dbname, user;
	struct kh_view password_file;        /* an absolute path, or a name in the home folder; or */
	struct kh_view password_environment; /* the name of a variable of the environment; neither: none is sent */
	struct kh_view authority;    /* a PEM file of CAs to trust in place of the system's; empty: the system's */
	enum kh_config_switch local; /* the server may be at a private or loopback address */
	enum kh_config_switch plain; /* without TLS */
	/* both */
	uint64_t seconds; /* of a statement; default 10 */
	uint64_t rows;    /* of a result; 1000 */
	uint64_t bytes;   /* of a result; 1 MiB */
	unsigned line;
};

/* A table that comm.search may look through with scope `database`. */
struct kh_config_table {
	struct kh_view database; /* a name in `databases` */
	struct kh_view table;    /* [A-Za-z_][A-Za-z0-9_]*, with or without a schema before a dot */
	struct kh_texts columns; /* columns that are searched and shown, at least one */
	unsigned line;
};

struct kh_config_search {
	struct kh_texts folders;  /* internal: absolute paths that are indexed; none: there is no such scope */
	uint64_t refresh_seconds; /* between two checks for changes in them; 30 */
	struct kh_view url;       /* web: a SearXNG-compatible endpoint; empty: there is no such scope */
	struct kh_view key_file, key_environment; /* sent as a bearer token; as those of a Reader */
	struct kh_view authority;
	enum kh_config_switch local; /* as those of a Reader */
	struct kh_list tables;       /* database: of struct kh_config_table; none: there is no such scope */
	unsigned line;
};

/* What comm.fetch may reach besides the public network. */
struct kh_config_network {
	struct kh_texts private_hosts; /* "intranet.example" or "127.0.0.1:8443": addresses of any range */
	struct kh_view authority;      /* a PEM file of CAs to trust in place of the system's */
	unsigned line;
};

/* Models that verify calls (K7): names of `readers`. */
struct kh_config_verification {
	struct kh_view triage;     /* tier 2; empty: none */
	struct kh_view supervisor; /* tier 3, before a human or an agent with a supervisor's token; empty: none */
	unsigned line;
};

#define KH_CONFIG_HOST             "host" /* no upstream's name: a host's own tools have it (K11) */
#define KH_CONFIG_UPSTREAM_IDLE    600
#define KH_CONFIG_UPSTREAM_TIME    60
#define KH_CONFIG_UPSTREAM_STARTS  6
#define KH_CONFIG_UPSTREAM_OUT     (UINT64_C(64) << 20)
#define KH_CONFIG_UPSTREAM_SECRETS 16
#define KH_CONFIG_HEADER_SECRETS   8

/*
 * An MCP server behind Keyhole (U1): a program in a sandbox, which speaks on its standard streams, or a URL of Streamable
 * HTTP.  0, or nothing, if a key was left out that has no default here: then the sandbox's own holds.
 */
struct kh_config_upstream {
	struct kh_view name;              /* [a-z][a-z0-9-]{0,31}, not `host` */
	enum kh_config_switch enabled;    /* FALSE: not started, and its tools are not offered */
	enum kh_config_switch shared;     /* one process for all contexts, which connects them (CHANNELS.md) */
	uint64_t idle_seconds;            /* without a call; then it is stopped */
	uint64_t timeout_seconds;         /* of a call */
	uint64_t message_bytes, messages; /* the longest message that it may send; messages a second */
	struct kh_pairs secrets;          /* a variable, or a header, and its file (kh_upstreams_secret) */
	/* a program */
	struct kh_texts command;     /* argv; the first is an absolute path */
	struct kh_view program;      /* the folder of its program: read-only, and pinned as a whole; may be empty */
	struct kh_texts read, write; /* absolute paths that it sees; it may change those of `write` */
	struct kh_texts network;     /* "host:port": all that it reaches (U2) */
	uint64_t bytes_out;          /* to all of them together, a day */
	uint64_t memory, processes, disk; /* bytes; processes and threads; bytes of its own /tmp */
	uint64_t files;                   /* open descriptors of one process */
	uint64_t processor;               /* thousandths of one processor */
	uint64_t output_bytes;            /* a second */
	struct kh_pairs env;              /* variables with fixed values */
	uint64_t starts;                  /* an hour; then it is held down */
	/* a URL */
	struct kh_view url;
	struct kh_pairs headers;
	struct kh_view authority; /* as those of a Reader */
	enum kh_config_switch local;
	unsigned line;
};

struct kh_config {
	struct kh_policy policy;
	struct kh_list readers; /* of struct kh_config_reader, in the file's order; `extract` is always among them */
	struct kh_config_audit audit;
	struct kh_config_gateway gateway;
	struct kh_list databases; /* of struct kh_config_database */
	struct kh_config_search search;
	struct kh_config_network network;
	struct kh_config_verification verification;
	struct kh_list upstreams; /* of struct kh_config_upstream */
};

/* U7: whether a rule types results, so that the Reader `typed` is there; one of that name in the file takes its place. */
bool kh_settings_types_results(const struct kh_config *config);

/* The enabled upstream server of this name, as the gates see it, or NULL. */
const struct kh_policy_upstream *kh_settings_server(const struct kh_policy *policy, struct kh_view name);

/* The upstream of this name, or NULL. */
const struct kh_config_upstream *kh_settings_upstream(const struct kh_config *config, struct kh_view name);

/* The database of this name, or NULL. */
const struct kh_config_database *kh_settings_database(const struct kh_config *config, struct kh_view name);

/* The Reader of this name, or NULL. */
const struct kh_config_reader *kh_settings_reader(const struct kh_config *config, struct kh_view name);

#endif
