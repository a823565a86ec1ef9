/*
 * The policy: what the operator decided, read from the `policy:` section of keyhole.yaml (SPEC I8).
 *
 * Every value has a default, and the default policy is a usable one: nothing runs without a human that the operator has
 * not allowed.  docs/POLICY.md says what each key means; a test holds it against the table in keys.c.  A policy never
 * changes after it was read; its version is the digest of its canonical JSON, defaults included (A2), so two files that
 * mean the same are the same policy.
 */
#ifndef KH_CORE_POLICY_POLICY_H
#define KH_CORE_POLICY_POLICY_H

#include "base/canonical.h"
#include "core/policy/lookup.h"
#include "core/policy/risk.h"
#include "core/policy/schema.h"
#include "core/policy/tier.h"
#include "core/screen/screen.h"

enum kh_role { KH_ROLE_CONTROLLER, KH_ROLE_READER, KH_ROLE_SUPERVISOR, KH_ROLE_HOST, KH_ROLE_REVIEWER, KH_ROLE_ADMIN };
extern const struct kh_words kh_policy_role_words;

enum kh_permission { KH_PERMISSION_ALLOW, KH_PERMISSION_DENY };
enum kh_approval_mode {
	KH_APPROVAL_BY_RISK, /* low risk is approved without a human, moderate and high are asked (E6) */
	KH_APPROVAL_AUTO,
	KH_APPROVAL_ASK,
};
enum kh_network { KH_NETWORK_OFF, KH_NETWORK_READONLY, KH_NETWORK_ON };
enum kh_scope { KH_SCOPE_WEB, KH_SCOPE_INTERNAL, KH_SCOPE_DATABASE }; /* of comm.search */
enum kh_lint { KH_LINT_ADVICE, KH_LINT_REFUSE };
enum kh_release { KH_RELEASE_SLOTS, KH_RELEASE_IMMEDIATE };
enum kh_fenced { KH_FENCED_NEVER, KH_FENCED_ALLOW }; /* E12 */

struct kh_policy_budgets {
	uint64_t task_bits, context_bits;
	uint64_t escalations, retries;
	uint64_t alert_percent;
};

/* Rates of queries to one Reader, or to all that are not named (B9). */
struct kh_policy_rates {
	struct kh_view reader; /* a name or glob; empty in the default */
	struct kh_rate category_1, category_2, category_3;
	struct kh_list readers; /* of struct kh_policy_rates; empty in these */
};

/* K8: sealed content from ORIGIN may go where the parameter's value matches one of TO. */
struct kh_policy_destination {
	struct kh_view origin;    /* the host, or the operation's name where there is none, that a block came from */
	struct kh_view parameter; /* that says where the call goes; empty: the tool itself is the destination */
	struct kh_texts to;
};

/* A named statement of comm.query. */
struct kh_policy_statement {
	struct kh_view name, database, sql;
	unsigned line;
};

/* A named command of comm.exec: `{1}` in an argument stands for the first of the call's args (template.h). */
struct kh_policy_command {
	struct kh_view name;
	struct kh_texts argv;
	unsigned line;
};

/* Of a call's arguments: this one has to be there as a text, or a list of texts, that all match one of TO. */
struct kh_policy_argument {
	struct kh_view parameter; /* `params.customer`: a member of an object */
	struct kh_texts to;       /* patterns as of kh_match_value() */
	unsigned line;
};

/* What is said about one operation, or about the tools that a glob names.  The first that matches counts. */
struct kh_policy_rule {
	struct kh_view name;
	enum kh_permission permission;
	enum kh_risk risk;
	enum kh_tier tier;
	enum kh_effect effects;
	enum kh_approval_mode approval;
	unsigned roles;         /* bits of enum kh_role */
	struct kh_texts agents; /* names of tokens, globs; empty: every one.  Who is not named looks at the next rule */
	struct kh_list arguments; /* of struct kh_policy_argument: all of them have to hold */
	struct kh_rate rate;      /* none: the tier's, and 10 a minute for the network */
	struct kh_texts content_parameters;
	struct kh_list destinations; /* of struct kh_policy_destination */
	struct kh_texts hosts;       /* comm.fetch: empty means every public host */
	struct kh_texts paths;       /* comm.read: empty means none; comm.search: folders of the index, empty: all */
	unsigned scopes;             /* comm.search: bits of enum kh_scope */
	struct kh_texts databases;   /* comm.query, comm.search: globs; empty means all that are configured */
	struct kh_list statements;   /* comm.query */
	enum kh_permission free_sql; /* comm.query */
	struct kh_list commands;     /* comm.exec */
	unsigned line;               /* of the file; 0: built in */
	struct kh_view path;         /* "policy.tools[2]"; "default" for what is built in */
};

/* One more rule for the screen (S3). */
struct kh_policy_screen {
	struct kh_view name, code, pattern, positive, negative;
	enum kh_severity severity;
	unsigned line;
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
	enum kh_fenced fenced;
	enum kh_trust user_messages;
	struct kh_risk_table taint_risk;
	struct kh_list tools;      /* of struct kh_policy_rule */
	struct kh_list operations; /* of struct kh_policy_rule */
	enum kh_network network;
	uint64_t egress_bytes; /* a task */
	struct kh_list screen; /* of struct kh_policy_screen */
	struct kh_policy_approvals approvals;
	unsigned line; /* of `policy:` */
	/* Made when it was read. */
	struct kh_view file;
	const struct kh_lookup *tool_lookup, *operation_lookup; /* over the rules: lookup.h */
	struct kh_texts remote_databases;                       /* of the configuration: those behind a network */
	bool is_search_remote;                                  /* a table that is searched is in one of these */
	struct kh_digest digest; /* of the canonical JSON: the policy version that grants are bound to */
};

/* The policy of a configuration, which is read and checked whole (config.h).  The policy lives in the arena. */
enum kh_err kh_policy_read(struct kh_arena *arena, struct kh_view text, struct kh_view file,
			   const struct kh_policy **ret_policy, struct kh_error *err) KH_CHECKED;

/* The policy of an empty configuration. */
enum kh_err kh_policy_default(struct kh_arena *arena, const struct kh_policy **ret_policy,
			      struct kh_error *err) KH_CHECKED;

/* For config.c: a policy as it is before anything was read into it; and, after that, what does not fit together is
 * found (`policy_invalid`), and the digest made. */
void kh_policy_start(struct kh_policy *policy);
enum kh_err kh_policy_finish(const struct kh_outline_source *source, struct kh_policy *policy,
			     struct kh_error *err) KH_CHECKED;

/* Its canonical JSON: what the digest is of. */
enum kh_err kh_policy_canonical(struct kh_arena *arena, const struct kh_policy *policy, struct kh_view *ret_text,
				struct kh_error *err) KH_CHECKED;

/*
 * The rule for an operation called by the token named AGENT (empty: one that no rule names): `comm.search` and its kin
 * by `operations`, an upstream tool (`server__tool` or `comm.mcp.server.tool`) by `tools`; else a built-in one.  Never
 * NULL.  *RET_PATH: where it stands ("policy.tools[2]", "default").
 */
const struct kh_policy_rule *kh_policy_rule(const struct kh_policy *policy, struct kh_arena *arena,
					    struct kh_view operation, struct kh_view agent, struct kh_view *ret_path);

/* The rate of queries of CATEGORY (1-3) to READER. */
struct kh_rate kh_policy_reader_rate(const struct kh_policy *policy, struct kh_view reader, unsigned category);

/* The extra rules as the screen takes them, NUL-terminated, in the arena. */
enum kh_err kh_policy_screen_rules(struct kh_arena *arena, const struct kh_policy *policy,
				   const struct kh_rule **ret_rules, size_t *ret_count) KH_CHECKED;

#endif
