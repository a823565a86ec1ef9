/*
 * `keyhole approvals`: what waits for a human.
 *
 * A decision names the digest of what was displayed (A6): that of --shown, or on a terminal the one that this command
 * has just displayed, page by page, before it asks.
 */
#ifndef KH_CLI_APPROVALS_H
#define KH_CLI_APPROVALS_H

#include "cli/frame.h"

struct kh_approvals_args {
	bool all;                             /* list: also those that no longer wait */
	uint64_t count;                       /* watch: how many; 0: no limit */
	uint64_t page;                        /* show; 0: all of them; tries; 0: the first */
	uint64_t number;                      /* tries: this one alone; 0: all, each with its first page */
	struct kh_view shown, note;           /* of a decision; may be empty */
	const char *text, *file, *parameters; /* of an edit */
	struct kh_option_list values;         /* NAME=VALUE, for what an upstream server asks */
	struct kh_view host, until;           /* of a wider grant; may be empty */
	uint64_t uses;
};

kh_frame_fn kh_approvals_list, kh_approvals_watch, kh_approvals_show, kh_approvals_tries;
kh_frame_fn kh_approvals_approve, kh_approvals_reject, kh_approvals_edit;

#endif
