/*
 * keyhole.yaml, whole (SPEC I8): the policy, the Readers, how the audit is kept, and how clients reach the gateway.
 *
 * Every value has a default; an empty file is a usable configuration.  docs/POLICY.md says what the keys of `policy`
 * mean, docs/CONFIGURATION.md those of all others; tests hold both against the tables in keys.c.  A configuration never
 * changes after it was read.  The core opens no file and starts no program: that paths are there, and are what they
 * should be, is found out by whoever uses them.
 */
#ifndef KH_CORE_POLICY_CONFIG_H
#define KH_CORE_POLICY_CONFIG_H

#include "core/policy/policy.h"

#define KH_CONFIG_EXTRACT     "extract" /* the Reader that is always there */
#define KH_CONFIG_ARGUMENT    4096      /* bytes of one argument or path */
#define KH_CONFIG_ARGUMENTS   32768     /* bytes of all of a program's arguments and paths */
#define KH_CONFIG_READER_TIME 30        /* seconds for an answer, where it does not say */
#define KH_CONFIG_LISTEN      "127.0.0.1:7433"
#define KH_CONFIG_SOCKET      "mcp.sock"
#define KH_CONFIG_RETRIES     2 /* of a request to a model, where it does not say */
#define KH_CONFIG_NOT_SAID    UINT64_MAX

enum kh_config_driver {
	KH_CONFIG_DRIVER_EXTRACT,   /* built in: finds by rule */
	KH_CONFIG_DRIVER_COMMAND,   /* a program, in a sandbox of its own for every query */
	KH_CONFIG_DRIVER_OPENAI,    /* a model behind an OpenAI-compatible chat endpoint */
	KH_CONFIG_DRIVER_ANTHROPIC, /* a model behind the Messages API */
};
extern const struct kh_words kh_config_driver_words;

/* UNSAID is no word of a file: it stands where a key was left out, until the defaults are put in. */
enum kh_config_switch { KH_CONFIG_FALSE, KH_CONFIG_TRUE, KH_CONFIG_UNSAID };
extern const struct kh_words kh_config_switch_words;

struct kh_config_reader {
	struct kh_view name; /* what a query's `target` says */
	enum kh_config_driver driver;
	struct kh_texts argv; /* command: the first is an absolute path */
	struct kh_texts read; /* command: absolute paths that it sees besides, read-only */
	/* openai, anthropic */
	struct kh_view url;      /* of the endpoint; https, or http where `local` */
	struct kh_view model;    /* its name there */
	struct kh_view key_file; /* a file with the API key: an absolute path, or a name in the home folder; or */
	struct kh_view key_environment; /* the name of a variable of the environment; neither: no key is sent */
	struct kh_view authority;       /* a PEM file of CAs to trust in place of the system's; empty: the system's */
	enum kh_config_switch local;    /* the endpoint may be at a private or loopback address, by plain http */
	enum kh_config_switch schema;   /* openai: response_format json_schema is asked for; FALSE: json_object */
	uint64_t max_tokens;            /* of an answer; 0: by the query's size */
	uint64_t retries;               /* on 429 and 5xx, within the timeout; 2 where it does not say */
	/* command, openai, anthropic */
	uint64_t timeout_seconds; /* for everything: retries too */
	uint64_t concurrency;     /* asked at once; 0: no limit of its own */
	unsigned line;            /* of the file; 0: built in */
};

/* How clients reach the gateway. */
struct kh_config_gateway {
	struct kh_texts listen; /* "127.0.0.1:7433", "[::1]:7433"; the first where it does not say; none: no HTTP */
	struct kh_view socket;  /* the Unix socket of relays (I9); relative to the home folder; `mcp.sock` */
	struct kh_view tls_certificate, tls_key; /* PEM files; both or none; relative to the home folder */
	enum kh_config_switch plain; /* plain HTTP on an address that is not loopback; needed for that without TLS */
	struct kh_texts hosts;       /* names that a request's Host may have besides loopback's */
	struct kh_texts origins;     /* web pages that may call */
	struct kh_view url;          /* how people reach it, for links; empty: the first of `listen` */
	uint64_t connections;        /* at once; 10,000 */
	uint64_t wait_seconds;       /* that a call waits before it answers `pending` (A5); 50 */
	uint64_t stop_seconds;       /* that a stop waits for what runs; 10 */
	uint64_t pool;               /* sandboxes of each kind that wait ready; 1 */
	unsigned line;               /* of `gateway:`; 0: not there */
};

struct kh_config_audit {
	struct kh_view witness_file; /* absolute path; empty: none */
	enum kh_config_switch witness_syslog;
	struct kh_texts witness_command;                /* argv, the first an absolute path; empty: none */
	uint64_t checkpoint_events, checkpoint_seconds; /* a checkpoint after so many, or so long, what is first */
	uint64_t retention_days;                        /* of raw responses and sealed content; 0: kept */
	unsigned line;                                  /* of `audit:`; 0: not there */
};

/* A database that comm.query and comm.search may read: a file of SQLite, or a server of PostgreSQL. */
struct kh_config_database {
	struct kh_view name;
	struct kh_view file; /* SQLite: an absolute path */
	/* PostgreSQL */
	struct kh_view host; /* a name or an address; or the absolute path of the folder that its Unix socket is in */
	uint64_t port;       /* 5432 where it does not say */
	struct kh_view dbname, user;
	struct kh_view password_file;        /* an absolute path, or a name in the home folder; or */
	struct kh_view password_environment; /* the name of a variable of the environment; neither: none is sent */
	struct kh_view authority;    /* a PEM file of CAs to trust in place of the system's; empty: the system's */
	enum kh_config_switch local; /* it may be at a private or loopback address */
	enum kh_config_switch plain; /* without TLS */
	/* both */
	uint64_t seconds; /* of a statement; 10 where it does not say */
	uint64_t rows;    /* of a result; 1000 */
	uint64_t bytes;   /* of a result; 1 MiB */
	unsigned line;
};

/* A table that comm.search may look through with scope `database`. */
struct kh_config_table {
	struct kh_view database; /* a name of the above */
	struct kh_view table;    /* [A-Za-z_][A-Za-z0-9_]*, with or without a schema before a dot */
	struct kh_texts columns; /* that are searched and shown, at least one */
	unsigned line;
};

struct kh_config_search {
	struct kh_texts folders;  /* internal: absolute paths that are indexed; none: there is no such scope */
	uint64_t refresh_seconds; /* between two looks at what has changed in them; 30 */
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

struct kh_config {
	struct kh_policy policy;
	struct kh_list readers; /* of struct kh_config_reader, in the file's order; `extract` is always among them */
	struct kh_config_audit audit;
	struct kh_config_gateway gateway;
	struct kh_list databases; /* of struct kh_config_database */
	struct kh_config_search search;
	struct kh_config_network network;
	struct kh_config_verification verification;
};

/*
 * Reads a configuration: a YAML document whose top-level keys are `policy`, `readers`, `audit`, `gateway`,
 * `databases`, `search`, `network` and `verification`.  FILE
 * names it in messages ("keyhole.yaml:12: ...").  KH_EINPUT with code `policy_invalid`: what is wrong, where, and what
 * was expected.  The configuration lives in the arena.
 */
enum kh_err kh_config_read(struct kh_arena *arena, struct kh_view text, struct kh_view file,
			   const struct kh_config **ret_config, struct kh_error *err) KH_CHECKED;

/* The same of a file that may hold a policy alone: where it has no section `databases`, statements may name any. */
enum kh_err kh_config_read_policy(struct kh_arena *arena, struct kh_view text, struct kh_view file,
				  const struct kh_config **ret_config, struct kh_error *err) KH_CHECKED;

/* The database of this name, or NULL. */
const struct kh_config_database *kh_config_database(const struct kh_config *config, struct kh_view name);

/* The Reader of this name, or NULL. */
const struct kh_config_reader *kh_config_reader(const struct kh_config *config, struct kh_view name);

#endif
