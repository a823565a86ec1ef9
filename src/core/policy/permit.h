/*
 * Whether a rule permits the arguments of a call, not only its name: hosts, paths, statements, commands, and sealed
 * content by reference (SPEC K8).  Also counts the bytes that an agent chose and that the call sends out (E5).
 */
#ifndef KH_CORE_POLICY_PERMIT_H
#define KH_CORE_POLICY_PERMIT_H

#include "core/policy/policy.h"

/*
 * The origin of a sealed block, which `origin` in a policy's destinations is matched against: the host or the operation
 * that brought it, by Keyhole's own record.  If somebody put it in: KH_POLICY_GIVEN and the role.  A destination for a host or
 * an operation never matches such a block, whatever its source says, nor does `*`.
 */
struct kh_permit_origin {
	struct kh_view block;
	struct kh_view origin;
	uint64_t chosen; /* bytes of its content that an agent chose: of a block that a controller put in */
};

struct kh_permit_call {
	const struct kh_operation *operation; /* its row; if NULL, the call is refused */
	yyjson_val *parameters;               /* an object, or NULL */
	const struct kh_permit_origin *origins;
	size_t origin_count;
	bool is_remote;                            /* its database is behind a network (kh_permit_is_remote) */
	const struct kh_policy_upstream *upstream; /* the server that it goes to; NULL: none, or it is not known */
};

/*
 * KH_OK if RULE permits the arguments.  KH_EREFUSED: DOMAIN_BLOCKED, path_not_allowed, statement_not_allowed,
 * command_not_allowed, database_not_allowed, scope_not_allowed, argument_not_allowed, content_not_allowed,
 * parameter_missing or what kh_url_read() says, and why; OPERATION_NOT_ALLOWED if the operation's row does not say
 * which of its arguments a rule can allow.
 */
enum kh_err kh_permit_arguments(struct kh_arena *arena, const struct kh_policy_rule *rule,
				const struct kh_permit_call *call, struct kh_error *err) KH_CHECKED;

/*
 * Whether the arguments meet each entry of RULE's `own` (K11).  A path with the part `..` meets none, because it may lead
 * out of the folder that the pattern means.
 */
bool kh_permit_is_own(const struct kh_policy_rule *rule, yyjson_val *parameters);

/* The command of RULE that a call of OPERATION with PARAMETERS names; NULL if there is none. */
const struct kh_policy_command *kh_permit_command(const struct kh_policy_rule *rule,
						  const struct kh_operation *operation, yyjson_val *parameters);

/* Whether RULE allows reading the database of this name. */
bool kh_permit_database(const struct kh_policy_rule *rule, struct kh_view name);

/* Whether the call queries a database that is behind a network according to POLICY. */
bool kh_permit_is_remote(const struct kh_policy *policy, const struct kh_permit_call *call);

/* True if the call leaves this machine, by its row: always, to the web, to a remote database, to a tool of tier 2
 * or 3 or of a server that reaches hosts. */
bool kh_permit_is_network(const struct kh_permit_call *call, enum kh_tier tier);

/* The bytes that the agent chose and that the call sends out, by reference too; 0 if nothing leaves this machine. */
uint64_t kh_permit_egress(const struct kh_permit_call *call);

#endif
