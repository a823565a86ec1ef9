/*
 * approval.decide: reviewer, admin; never an agent's token, except a supervisor's for tool calls (K7, A6).
 *
 * A decision names the digest of what was displayed.  The digest must be the approval's, and every page must have been
 * shown to this principal.  The first decision counts: a second one is refused with `already_decided`, which says who
 * decided what and when; so is one that comes after the expiry.  The consequences for the query that waited happen in
 * the same transaction.  Refused decisions are recorded.
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
	struct kh_tainted edited; /* of an edit: a response in the query's form, or only the text of a summary */
	struct kh_view note;      /* visible characters only; may be empty */
	struct kh_view from;      /* "cli", ...: where the decision came from; likewise, but not empty */
	/*
	 * A wider grant (A2), only for declarations and tool calls: any arguments to the host that was shown, USES
	 * times, until the expiry.  Empty and 0: exactly what was shown, once, for as long as a request waits.  HOST
	 * only repeats the host that was shown; the grant's comes from there.
	 */
	struct kh_view host;
	int64_t uses, until;
	struct kh_approval_row *row; /* out */
};
enum kh_err kh_approval_decide_run(struct kh_op *op, void *call);

#endif
