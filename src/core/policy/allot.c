/* Limits of external operations. */
#include "core/policy/allot.h"

#include "core/policy/permit.h"

static void derive(uint64_t *limit, uint64_t of_policy)
{
	if (*limit == 0)
		*limit = of_policy;
}

static void derive_rule(const struct kh_policy_limits *from, const struct kh_policy_rule *rule)
{
	struct kh_policy_command *commands = rule->commands.at;

	for (size_t i = 0; commands != NULL && i < rule->commands.n; i++) {
		struct kh_policy_command_limits *limits = &commands[i].limits;
		derive(&limits->seconds, from->total_seconds);
		derive(&limits->memory_bytes, from->memory_bytes);
		derive(&limits->processes, from->processes);
		derive(&limits->output_bytes, from->output_bytes);
		derive(&limits->disk_bytes, from->disk_bytes);
	}
}

void kh_allot_derive(struct kh_policy *policy)
{
	const struct kh_policy_rule *rules = policy->operations.at;

	for (size_t i = 0; rules != NULL && i < policy->operations.n; i++)
		derive_rule(&policy->limits, &rules[i]);
}

static uint64_t seconds_of(const struct kh_policy_limits *limits, enum kh_time_limit time)
{
	uint64_t own = time == KH_TIME_FILE      ? limits->file_seconds
		       : time == KH_TIME_NETWORK ? limits->network_seconds
						 : limits->total_seconds;

	return own < limits->total_seconds ? own : limits->total_seconds;
}

struct kh_errand_limits kh_allot_of(const struct kh_policy *policy, const struct kh_policy_rule *rule,
				    const struct kh_operation *operation, yyjson_val *parameters)
{
	const struct kh_policy_command *command = kh_permit_command(rule, operation, parameters);
	const struct kh_policy_limits *all = &policy->limits;

	if (command == NULL)
		return (struct kh_errand_limits){.seconds = seconds_of(all, operation->time),
						 .output = all->output_bytes,
						 .memory = all->memory_bytes,
						 .processes = all->processes,
						 .disk = all->disk_bytes};
	return (struct kh_errand_limits){.seconds = command->limits.seconds,
					 .output = command->limits.output_bytes,
					 .memory = command->limits.memory_bytes,
					 .processes = command->limits.processes,
					 .disk = command->limits.disk_bytes};
}

size_t kh_allot_output(const struct kh_errand_limits *limits, size_t most)
{
	return limits->output > 0 && limits->output < most ? (size_t)limits->output : most;
}
