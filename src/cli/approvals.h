/*
 * `keyhole approvals list` and `watch`: what waits for a human.  approvals_show.h has `show`, approvals_decide.h
 * `approve`, `reject` and `edit`.
 */
#ifndef KH_CLI_APPROVALS_H
#define KH_CLI_APPROVALS_H

#include "cli/frame.h"

struct kh_approvals_args {
	bool all;       /* list: also those that no longer wait */
	uint64_t count; /* watch: how many; 0: no limit */
};

int kh_approvals_list(struct kh_frame *f);
int kh_approvals_watch(struct kh_frame *f);

#endif
