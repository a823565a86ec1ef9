/*
 * Tools that a host's agent has of its own and that Keyhole never runs (K11).  The policy names one as host__<tool>, and
 * the engine as the operation comm.mcp.host.<tool>: no upstream server can have the name `host`.
 */
#ifndef KH_CORE_POLICY_HOSTTOOL_H
#define KH_CORE_POLICY_HOSTTOOL_H

#include "core/policy/policy.h"

/* The operation of TOOL.  KH_EINPUT `bad_name` if the name does not match [A-Za-z0-9_-]{1,64}. */
enum kh_err kh_hosttool_operation(struct kh_arena *arena, struct kh_view tool, struct kh_view *ret_operation,
				  struct kh_error *err) KH_CHECKED;

/* Whether OPERATION is that of a host's tool; and the tool's name then. */
bool kh_hosttool_is(struct kh_view operation);
struct kh_view kh_hosttool_name(struct kh_view operation);

/*
 * Whether the policy calls the result of such a call of AGENT's the user's own: the rule says `results: trusted`, and the
 * arguments meet each entry of its `own`.  PARAMETERS: an object, or NULL if they are not known.
 */
bool kh_hosttool_is_own(const struct kh_policy *policy, struct kh_arena *arena, struct kh_view operation,
			struct kh_view agent, yyjson_val *parameters);

#endif
