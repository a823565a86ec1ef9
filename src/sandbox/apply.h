/* What happens inside of a sandbox, from its first instruction to that of the program; see sandbox.h. */
#ifndef KH_SANDBOX_APPLY_H
#define KH_SANDBOX_APPLY_H

#include "sandbox/sandbox.h"

/* In the first process of SANDBOX: sets up the rest, waits for the job on CHANNEL, carries it out, and ends. */
_Noreturn void kh_apply(const struct kh_sandbox_kit *kit, const struct kh_sandbox *sandbox, int channel);

#endif
