/* What happens inside a sandbox, from its first instruction to the program's first one; see sandbox.h. */
#ifndef KH_SANDBOX_APPLY_H
#define KH_SANDBOX_APPLY_H

#include "sandbox/kit.h"

/* What the first process of a sandbox starts with. */
struct kh_apply {
	const struct kh_sandbox_kit *kit;
	enum kh_profile profile;
	bool locked; /* locked down before the job comes; the job names no folders */
	const struct kh_cgroup *cgroup;
	int channel;
};

/* In the first process: sets up the rest, waits for the job on the channel, runs it, and ends. */
_Noreturn void kh_apply(const struct kh_apply *with);

#endif
