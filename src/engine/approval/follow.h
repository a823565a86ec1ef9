/*
 * What follows from an approval for what it is about: a query, a declaration.  These stand above approvals, so each kind
 * of approval has a row of functions, and operations reach them by op->above (engine/operations.c has the table).
 */
#ifndef KH_ENGINE_APPROVAL_FOLLOW_H
#define KH_ENGINE_APPROVAL_FOLLOW_H

#include "base/tainted.h"
#include "engine/state/op.h"

enum kh_choice { KH_CHOICE_APPROVE, KH_CHOICE_REJECT, KH_CHOICE_EDIT };

/* What a decider chose. */
struct kh_approval_choice {
	enum kh_choice choice;
	struct kh_tainted edited; /* of an edit */
	yyjson_val *parameters;   /* of an edited declaration or call: EDITED, read by `check` */
};

/* NULL: there is nothing to do. */
struct kh_approval_follow {
	/* A grant can be wider than what was shown (A2). */
	bool widens;
	/* Before a decision: what is due for it by now happens first. */
	enum kh_err (*due)(struct kh_op *op, const struct kh_approval_row *approval);
	/* Whether a supervisor that is an agent may decide it (K7).  NULL: no. */
	enum kh_err (*is_agents)(struct kh_op *op, const struct kh_approval_row *approval, bool *ret_yes);
	/* Whether this can be chosen now; changes nothing.  NULL: anything but an edit. */
	enum kh_err (*check)(struct kh_op *op, const struct kh_approval_row *approval,
			     struct kh_approval_choice *choice);
	/* Takes an edit over into APPROVAL.  KH_EREFUSED if it is not a good one: nothing is changed then. */
	enum kh_err (*edit)(struct kh_op *op, struct kh_approval_row *approval,
			    const struct kh_approval_choice *choice);
	/* It was decided, which is on the record. */
	enum kh_err (*decided)(struct kh_op *op, const struct kh_approval_row *approval,
			       const struct kh_approval_choice *choice);
	/* Nobody decided it in its time, which is on the record. */
	enum kh_err (*expired)(struct kh_op *op, const struct kh_approval_row *approval);
};

/* The row of APPROVAL's kind; one without functions for a kind that is about nothing else (a plan). */
const struct kh_approval_follow *kh_approval_follow(const struct kh_op *op, const struct kh_approval_row *approval);

#endif
