/*
 * Governance with the data of the store (E4-E6): looks up what the gates need to know, has the gates decide
 * (core/policy/decide.h), and writes their answers down.  Nothing is counted and no grant is used here: the caller does
 * that if it goes on.
 */
#ifndef KH_ENGINE_COMM_GOVERN_H
#define KH_ENGINE_COMM_GOVERN_H

#include "core/policy/decide.h"
#include "engine/comm/propose.h"
#include "engine/comm/weigh.h"

struct kh_govern {
	struct kh_task_row *task;
	struct kh_context_row *context;
	struct kh_proposal *proposal;
	bool called;                      /* otherwise it is only declared */
	const struct kh_weighed *weighed; /* NULL: it was not compared, or not yet */
	int64_t came;                     /* of a call: when it came in; slots are counted from it */
	/* The approval in whose place it asks for one: a reviewer edits that, so it waits no longer.  NULL: none. */
	const struct kh_approval_row *instead;
	/* out */
	struct kh_decision decision;
	const struct kh_policy_rule *rule;
	struct kh_quota quota;         /* as it is now */
	struct kh_rate_row *rate;      /* the row that keeps it; NULL: nothing was counted yet */
	struct kh_approval_row *grant; /* the one that covers the call; NULL: none */
	bool verified;                 /* by the approval that the row names, which has to be used too */
	bool unverified;               /* nobody has verified it: what is found can make it wait for somebody */
};

/* Decides.  For a declaration the phase gate answers as if the task were executing. */
enum kh_err kh_govern_decide(struct kh_op *op, struct kh_govern *govern) KH_CHECKED;

/* The gates' answers for the audit: canonical JSON with each gate that was reached, its result and code. */
enum kh_err kh_govern_describe(struct kh_op *op, const struct kh_govern *govern, struct kh_view *ret_what) KH_CHECKED;

/* The call in the form that a grant is compared with (A2). */
struct kh_grant_call kh_govern_call(struct kh_op *op, const struct kh_proposal *proposal);

/*
 * The digest that an approval for these declarations is bound to: the arguments of one, or of all in their order (E6).
 * ROWS share one approval.
 */
struct kh_digest kh_govern_batch(struct kh_op *op, const struct kh_declaration_row *const *rows, size_t count);

#endif
