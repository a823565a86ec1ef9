/*
 * `keyhole approvals approve`, `reject` and `edit`.
 *
 * A decision names the digest of what was displayed (A6): that of --shown, or on a terminal the one that this command
 * has just displayed, page by page, before it asks.
 */
#ifndef KH_CLI_APPROVALS_DECIDE_H
#define KH_CLI_APPROVALS_DECIDE_H

#include "cli/frame.h"

struct kh_approvals_decide_args {
	const char *shown, *note;
	const char *text, *file, *parameters; /* of an edit */
	const char *host, *until;             /* of a wider grant */
	uint64_t uses;
};

int kh_approvals_decide_approve(struct kh_frame *f);
int kh_approvals_decide_reject(struct kh_frame *f);
int kh_approvals_decide_edit(struct kh_frame *f);

#endif
