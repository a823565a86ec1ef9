/*
 * `keyhole upstream review NAME`: starts an upstream server, notes what it offers, and shows all of it to a human, with what
 * differs from what was approved (U4).  With --approve and the digest that was shown, pins it; so it does if a user at a
 * terminal, who is asked, says yes.
 */
#ifndef KH_CLI_UPSTREAM_REVIEW_H
#define KH_CLI_UPSTREAM_REVIEW_H

#include "cli/frame.h"

struct kh_review_args {
	uint64_t seconds;            /* --timeout */
	const char *approve;         /* --approve: the digest of the review */
	struct kh_option_list tools; /* --tool: only these; none: all */
	struct kh_option_list words; /* --describe NAME=TEXT */
};

/* Status 0: it was shown and nothing waits, or it was approved.  1: something waits for a human, or it does not work. */
kh_frame_fn kh_cli_upstream_review_run;

#endif
