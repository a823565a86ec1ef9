/*
 * Whether a rule permits the arguments of a call, not only its name: hosts, paths, statements, commands, and sealed
 * content by reference (SPEC K8).  Also how many bytes of its choice an agent sends out with it (E5).
 */
#ifndef KH_CORE_POLICY_PERMIT_H
#define KH_CORE_POLICY_PERMIT_H

#include "core/policy/policy.h"

/* Where a sealed block came from: what `origin` in a policy's destinations is matched against. */
struct kh_permit_origin {
	struct kh_view block;
	struct kh_view origin;
};

struct kh_permit_call {
	struct kh_view operation; /* "comm.fetch", "comm.mcp.mail.send" */
	yyjson_val *parameters;   /* an object, or NULL */
	const struct kh_permit_origin *origins;
	size_t origin_count;
	bool is_remote; /* the database that it asks is behind a network (kh_permit_is_remote) */
};

/*
 * KH_OK where RULE permits the arguments.  KH_EREFUSED: DOMAIN_BLOCKED, path_not_allowed, statement_not_allowed,
 * command_not_allowed, database_not_allowed, scope_not_allowed, argument_not_allowed, content_not_allowed,
 * parameter_missing or what kh_url_read() says, and why.
 */
enum kh_err kh_permit_arguments(struct kh_arena *arena, const struct kh_policy_rule *rule,
				const struct kh_permit_call *call, struct kh_error *err) KH_CHECKED;

/* Whether RULE, of comm.query or comm.search, lets the database of this name be read. */
bool kh_permit_database(const struct kh_policy_rule *rule, struct kh_view name);

/* Whether the call, of comm.query or comm.search, asks a database that POLICY knows to be behind a network. */
bool kh_permit_is_remote(const struct kh_policy *policy, const struct kh_permit_call *call);

/* True where the call leaves this machine: comm.fetch, comm.search of the web, a remote database, tools of tier 2
 * and 3.
 */
bool kh_permit_is_network(const struct kh_permit_call *call, enum kh_tier tier);

/* The bytes that the agent chose in what goes out: 0 for what stays here. */
uint64_t kh_permit_egress(const struct kh_permit_call *call);

#endif
