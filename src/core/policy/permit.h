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
	const struct kh_operation *operation; /* its row; NULL: there is none, and it is refused */
	yyjson_val *parameters;               /* an object, or NULL */
	const struct kh_permit_origin *origins;
	size_t origin_count;
	bool is_remote; /* the database that it asks is behind a network (kh_permit_is_remote) */
};

/*
 * KH_OK where RULE permits the arguments.  KH_EREFUSED: DOMAIN_BLOCKED, path_not_allowed, statement_not_allowed,
 * command_not_allowed, database_not_allowed, scope_not_allowed, argument_not_allowed, content_not_allowed,
 * parameter_missing or what kh_url_read() says, and why; OPERATION_NOT_ALLOWED where the operation's row does not say
 * what of its arguments a rule can allow.
 */
enum kh_err kh_permit_arguments(struct kh_arena *arena, const struct kh_policy_rule *rule,
				const struct kh_permit_call *call, struct kh_error *err) KH_CHECKED;

/* Whether RULE lets the database of this name be read. */
bool kh_permit_database(const struct kh_policy_rule *rule, struct kh_view name);

/* Whether the call asks a database that POLICY knows to be behind a network. */
bool kh_permit_is_remote(const struct kh_policy *policy, const struct kh_permit_call *call);

/* True where the call leaves this machine, by its row: always, to the web, to a remote database, to a tool of tier 2
 * or 3. */
bool kh_permit_is_network(const struct kh_permit_call *call, enum kh_tier tier);

/* The bytes that the agent chose in what goes out: 0 for what stays here. */
uint64_t kh_permit_egress(const struct kh_permit_call *call);

#endif
