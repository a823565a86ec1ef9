/* Limits of external operations. */
#include "core/policy/allot.h"

#include "core/policy/permit.h"

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
