/*
 * approval.show (reviewer, admin, and a supervisor for tool calls): one page of what is to be decided, and everything
 * known about it (B15, A6).  That the page was shown to this principal is recorded before the page leaves.
 */
#ifndef KH_ENGINE_APPROVAL_SHOW_H
#define KH_ENGINE_APPROVAL_SHOW_H

#include "base/tainted.h"
#include "engine/approval/approval.h"

#define KH_APPROVAL_SHOW_LABEL   "UNTRUSTED CONTENT PROCESSED BY A TAINTED AGENT"
#define KH_APPROVAL_SHOW_SERVER  "UNTRUSTED WORDS OF AN UPSTREAM SERVER"
#define KH_APPROVAL_SHOW_CONTENT "CONTENT THAT LEAVES OR IS PUT IN IF YOU APPROVE, OF BLOCK"

struct kh_approval_show {
	struct kh_view approval;
	int64_t page; /* 1, 2, ...: of the text, then of the content that it carries.  KH_EINPUT `no_such_page` past the last */
	/* out */
	/* The members of the subject (subject.h), and state, digest, page, label, decision.  `text`, `start` and
	 * `findings` are those of the page, and times are text.  `pages` are all pages, with those of content; a page of
	 * content has `part`: {"block","bytes"}, and "purged" if the content is gone. */
	struct kh_view json;
	struct kh_tainted text; /* the text of the page */
	int64_t pages;          /* all of them */
	struct kh_approval_row *row;
};
enum kh_err kh_approval_show_run(struct kh_op *op, void *call);

#endif
