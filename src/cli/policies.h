/* `keyhole policy test`: compares a policy's decisions with those that a file expects. */
#ifndef KH_CLI_POLICIES_H
#define KH_CLI_POLICIES_H

#include "cli/frame.h"

struct kh_policies_args {
	const char *policy; /* NULL: the file of tests names it */
};

int kh_policies_test(struct kh_frame *f);

#endif
