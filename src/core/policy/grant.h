/*
 * Grants (SPEC A2) and the states of an approval (A3).
 *
 * A grant records what a human agreed to, bound to canonical bytes: who (context, task), what (the operation, the
 * digests of its arguments, of the content that they refer to and of the tool's definition), under which policy, until
 * when, how often.  It is checked again in the transaction that uses it; any change makes it void.
 */
#ifndef KH_CORE_POLICY_GRANT_H
#define KH_CORE_POLICY_GRANT_H

#include "base/canonical.h"
#include "base/words.h"

struct kh_grant {
	struct kh_view context, task, operation;
	struct kh_digest arguments;  /* of the canonical JSON of the parameters; not used in a widened grant */
	struct kh_digest content;    /* of all referenced content; all zero if there is none */
	struct kh_digest definition; /* of the tool's definition; all zero for Keyhole's own operations */
	struct kh_digest policy;     /* the policy's version */
	int64_t expiry;              /* microseconds since 1970: not valid from then on */
	uint64_t uses;               /* in all; 1 unless a reviewer widened it */
	struct kh_view host;         /* widened: any arguments towards this host, within this task; else empty */
	bool admin;                  /* an admin gave it */
	bool fenced;                 /* it was shown that the agent reads the content itself, in a fence (E12) */
};

/* The call that a grant is checked against. */
struct kh_grant_call {
	struct kh_view context, task, operation;
	struct kh_digest arguments, content, definition, policy;
	struct kh_view host; /* the host that the call goes to; empty if there is none */
	bool fenced;         /* the content is to be given to the agent in a fence; else it is sealed */
};

enum kh_granted {
	KH_GRANTED,
	KH_GRANT_OTHER_CONTEXT,
	KH_GRANT_OTHER_TASK,
	KH_GRANT_OTHER_OPERATION,
	KH_GRANT_OTHER_ARGUMENTS,
	KH_GRANT_OTHER_HOST,
	KH_GRANT_OTHER_CONTENT,
	KH_GRANT_OTHER_DEFINITION,
	KH_GRANT_OTHER_POLICY,
	KH_GRANT_NOT_FENCED, /* the call wants a fence, and none was shown */
	KH_GRANT_EXPIRED,
	KH_GRANT_USED,
	KH_GRANT_NOT_GIVEN, /* nobody has given it, or it is void; kh_grant_covers() never returns this */
};
extern const struct kh_words kh_grant_words; /* "granted", "other_context", ... */

/* Whether GRANT covers CALL at NOW if USED of its uses are gone; if not, the first reason why. */
enum kh_granted kh_grant_covers(const struct kh_grant *grant, const struct kh_grant_call *call, uint64_t used,
				int64_t now);

/*
 * Whether two calls may be shown to a human as one batch (E6): the same task's, the same operation towards the same
 * host, under the same policy and definition.  Each is still listed, and each gets a grant of its own.
 */
bool kh_grant_similar(const struct kh_grant_call *a, const struct kh_grant_call *b);

/* True if the answer means that the grant itself is void: something that it is bound to has changed for good. */
bool kh_grant_is_void(enum kh_granted answer);

/* A3. */
enum kh_approval {
	KH_APPROVAL_PENDING,
	KH_APPROVAL_APPROVED,
	KH_APPROVAL_REJECTED,
	KH_APPROVAL_EDITED,
	KH_APPROVAL_EXPIRED,
	KH_APPROVAL_USED,
	KH_APPROVAL_VOID,
};
extern const struct kh_words kh_grant_approval_words;

/*
 * Whether an approval may go from one state to the other.  Pending: approved, rejected, edited, expired, void. Approved
 * and edited: used, expired, void.  The others are final.
 */
bool kh_grant_may_become(enum kh_approval from, enum kh_approval to);

#endif
