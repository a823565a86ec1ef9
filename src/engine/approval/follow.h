/*
 * What an approval causes for the thing it is about: a query, a declaration.  These modules are above approvals, so
 * each kind of approval has a row of functions, and operations reach them through op->above (engine/operations.c has
 * the table).
 */
#ifndef KH_ENGINE_APPROVAL_FOLLOW_H
#define KH_ENGINE_APPROVAL_FOLLOW_H

#include "base/tainted.h"
#include "engine/state/op.h"

enum kh_choice { KH_CHOICE_APPROVE, KH_CHOICE_REJECT, KH_CHOICE_EDIT };

/* What a decider chooses. */
struct kh_approval_choice {
	enum kh_choice choice;
	struct kh_tainted edited; /* of an edit */
};

/* NULL functions: nothing is done. */
struct kh_approval_follow {
	/* A grant can be wider than what was shown (A2). */
	bool widens;
	/* Called before a decision: does what is already due for it. */
	enum kh_err (*due)(struct kh_op *op, const struct kh_approval_row *approval);
	/* Whether a supervisor that is an agent may decide it (K7).  NULL: no. */
	enum kh_err (*is_agents)(struct kh_op *op, const struct kh_approval_row *approval, bool *ret_yes);
	/* Whether this choice is possible now; changes nothing.  NULL: any choice but an edit is. */
	enum kh_err (*check)(struct kh_op *op, const struct kh_approval_row *approval,
			     struct kh_approval_choice *choice);
	/* Copies an edit into APPROVAL.  KH_EREFUSED if the edit is not valid: then nothing is changed. */
	enum kh_err (*edit)(struct kh_op *op, struct kh_approval_row *approval,
			    const struct kh_approval_choice *choice);
	/* It was decided, that is recorded, and the slot has come at which it takes effect, if it has one. */
	enum kh_err (*decided)(struct kh_op *op, const struct kh_approval_row *approval);
	/* It expired without a decision, and that is recorded. */
	enum kh_err (*expired)(struct kh_op *op, const struct kh_approval_row *approval);
};

/* The row of APPROVAL's kind; a row without functions if the kind is about nothing else (a plan). */
const struct kh_approval_follow *kh_approval_follow(const struct kh_op *op, const struct kh_approval_row *approval);

#endif
