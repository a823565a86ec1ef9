/* The consequences of a decision of the gates: a row is made, an approval is asked for, an operation is begun. */
#ifndef KH_ENGINE_COMM_BEGIN_H
#define KH_ENGINE_COMM_BEGIN_H

#include "core/comm/errand.h"
#include "engine/comm/govern.h"

/* Puts the proposal's row into its table, with its event, if it is not in one yet; *RET_ROW is the row. */
enum kh_err kh_begin_row(struct kh_op *op, struct kh_govern *govern, struct kh_declaration_row **ret_row) KH_CHECKED;

/*
 * Asks a human, or (KIND tool_call) a supervisor, about ASKED, which then wait.  MARKS: what the reviewer should note,
 * with what matched.  If too many wait already, for a reason that the Controller cannot know, this one seems to wait.
 */
struct kh_begin_asked {
	struct kh_declaration_row *row;
	const struct kh_proposal *proposal;
	const struct kh_policy_rule *rule; /* the one that permits it */
	bool admin;                        /* its tier needs an admin's agreement; the same for all of a batch */
	int64_t came;                      /* when the call came in, before it was compared; 0: now */
};
enum kh_err kh_begin_ask(struct kh_op *op, struct kh_task_row *task, enum kh_approval_kind kind,
			 const struct kh_begin_asked *asked, size_t count, const struct kh_reasons *marks,
			 struct kh_approval_row **ret_approval) KH_CHECKED;

/*
 * Checks that the budgets hold what the operation reserves (B8) and, if VERIFIES, what models that verify it do; if ASKS,
 * what an approval of it costs.  KH_EREFUSED `budget_exceeded` if they have less.
 */
enum kh_err kh_begin_afford(struct kh_op *op, const struct kh_govern *govern, bool verifies, bool asks) KH_CHECKED;

/*
 * A model is asked about ROW: reserves for what it will say and when, once for all models, and starts their slots.
 * SENT: bytes that models behind a network are sent (tiers.h); they count against the task's budget.
 * The slots end after KH_BEGIN_VERIFY_MS, which is longer than models have time.
 */
#define KH_BEGIN_VERIFY_MS 600000
enum kh_err kh_begin_verify(struct kh_op *op, struct kh_govern *govern, struct kh_declaration_row *row,
			    int64_t sent) KH_CHECKED;

/* Takes from all limits what can be learned of a call that all gates have passed, and counts it against its rate. */
enum kh_err kh_begin_reserve(struct kh_op *op, struct kh_govern *govern, struct kh_declaration_row *row) KH_CHECKED;

/* All gates passed: everything is counted, the grants are used, and ROW runs from this transaction on. */
enum kh_err kh_begin_run(struct kh_op *op, struct kh_govern *govern, struct kh_declaration_row *row,
			 struct kh_errand *ret_errand) KH_CHECKED;

#endif
