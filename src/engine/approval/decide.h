/*
 * approval.decide: reviewer, admin; never an agent's token, but a supervisor's for tool calls (K7, A6).
 *
 * A decision names the digest of what was displayed, which must be the approval's, and every page of it must have been
 * shown to this principal.  The first decision counts: the second is refused with `already_decided`, and told who
 * decided what and when; so is one that comes after the expiry.  What a decision does to the query that waited is in
 * the same transaction.  Refused decisions are on the record.
 */
#ifndef KH_ENGINE_APPROVAL_DECIDE_H
#define KH_ENGINE_APPROVAL_DECIDE_H

#include "engine/approval/approval.h"
#include "engine/approval/follow.h"

#define KH_APPROVAL_DECIDE_NOTE 1000 /* bytes */
#define KH_APPROVAL_DECIDE_FROM 64
#define KH_APPROVAL_DECIDE_USES 1000 /* of a widened grant */

extern const struct kh_words kh_approval_decide_words; /* "approve", "reject", "edit" */

struct kh_approval_decide {
	struct kh_view approval;
	enum kh_choice choice;
	struct kh_view shown;     /* 64 hexadecimal digits */
	struct kh_tainted edited; /* of an edit: a response in the form of the query's, or a summary's text alone */
	struct kh_view note;      /* visible characters only; may be empty */
	struct kh_view from;      /* "cli", ...: where the decider sits; likewise, but not empty */
	/* A wider grant (A2), for declarations and tool calls alone: any arguments towards this host, so often, until
	 * then.  Empty and 0: exactly what was shown, once, for as long as a request waits. */
	struct kh_view host;
	int64_t uses, until;
	struct kh_approval_row *row; /* out */
};
enum kh_err kh_approval_decide_run(struct kh_op *op, void *call);

#endif
