/* `keyhole approvals show`: an approval, page by page.  What was shown is recorded. */
#ifndef KH_CLI_APPROVALS_SHOW_H
#define KH_CLI_APPROVALS_SHOW_H

#include "cli/frame.h"

struct kh_approvals_show_args {
	uint64_t page; /* 0: all of them */
};

int kh_approvals_show(struct kh_frame *f);

/* True if there is a user at a terminal who can be asked. */
bool kh_approvals_show_can_ask(const struct kh_frame *f);

/* Asks the user QUESTION.  Returns false if no line came back: the end of input. */
bool kh_approvals_show_ask(struct kh_frame *f, const char *question, struct kh_view *ret_answer);

/* Shows every page; if the user can be asked, waits for them after each but the last.  *RET_ALL: false if they
 * stopped before the end.  *RET_DIGEST is that of what was displayed.  Returns the exit status. */
int kh_approvals_show_pages(struct kh_frame *f, struct kh_view id, bool *ret_all, struct kh_view *ret_digest);

#endif
