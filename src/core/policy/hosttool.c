/* Names of a host's own tools, and what a rule says of their results.  An agent may have chosen name and arguments. */
#include "core/policy/hosttool.h"

#include "core/policy/permit.h"

#define PREFIX "comm.mcp." KH_CONFIG_HOST "."

enum kh_err kh_hosttool_operation(struct kh_arena *arena, struct kh_view tool, struct kh_view *ret_operation,
				  struct kh_error *err)
{
	if (tool.n == 0 || tool.n > 64 || !kh_view_is_word(tool, "_-"))
		return kh_error_set(err, KH_EINPUT, "bad_name",
				    "the tool's name is not of the form [A-Za-z0-9_-]{1,64}");
	*ret_operation = kh_arena_printf(arena, PREFIX "%.*s", KH_FMT(tool));
	return kh_arena_check(arena);
}

bool kh_hosttool_is(struct kh_view operation)
{
	return kh_view_starts(operation, KH_LIT(PREFIX));
}

struct kh_view kh_hosttool_name(struct kh_view operation)
{
	return kh_view_from(operation, sizeof(PREFIX) - 1);
}

bool kh_hosttool_is_own(const struct kh_policy *policy, struct kh_arena *arena, struct kh_view operation,
			struct kh_view agent, yyjson_val *parameters)
{
	struct kh_view path;
	const struct kh_policy_rule *rule = kh_policy_rule(policy, arena, operation, agent, &path);

	return rule->results == KH_RESULTS_TRUSTED && kh_permit_is_own(rule, parameters);
}
