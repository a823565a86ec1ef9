/* What happens inside of a sandbox, from its first instruction to that of the program; see sandbox.h. */
#ifndef KH_SANDBOX_APPLY_H
#define KH_SANDBOX_APPLY_H

#include "sandbox/kit.h"

/* What the first process of a sandbox is made with. */
struct kh_apply {
	const struct kh_sandbox_kit *kit;
	enum kh_profile profile;
	bool locked; /* before the job comes: it names no folders */
	const struct kh_cgroup *cgroup;
	int channel;
};

/* In the first process: sets up the rest, waits for the job on the channel, carries it out, and ends. */
_Noreturn void kh_apply(const struct kh_apply *with);

#endif
