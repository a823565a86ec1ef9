/*
 * `keyhole upstream test NAME`: starts an upstream server as Keyhole would, in its sandbox, asks what it offers, and says
 * what came of it (U8).  Nothing is kept, nobody is given its tools, and a server that does not work is shown with what it
 * said last and what to do.
 */
#ifndef KH_CLI_UPSTREAM_TRIAL_H
#define KH_CLI_UPSTREAM_TRIAL_H

#include "cli/frame.h"

struct kh_trial_args {
	uint64_t seconds; /* --timeout; 0: KH_VISIT_SECONDS */
	bool rules;       /* --rules: propose rules for its tools */
};

/* Status 0: it works.  1: it does not. */
kh_frame_fn kh_trial_run;

/* The same for the server NAME of HOME, which need not be the frame's own; the process is locked down afterwards. */
int kh_trial_of(struct kh_frame *f, const struct kh_home *home, const char *name, const struct kh_trial_args *args);

#endif
