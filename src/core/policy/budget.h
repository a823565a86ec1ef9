/*
 * Bandwidth budgets (SPEC B6, B8, B9), in microbits.
 *
 * For every task and context at every moment: budget == remaining + reserved + charged.  The fields are unsigned, so
 * remaining >= 0 is the same as saying that nothing is ever taken that is not there; every function here checks first
 * and then changes, or changes nothing.  A query is paid from its task's and its context's budget together: the
 * functions take a list of budgets and do the same to all of them or to none.
 *
 * There is no refund.  What was reserved is charged in the end, delivered or not, so that a balance tells nothing of
 * what a Reader answered.
 */
#ifndef KH_CORE_POLICY_BUDGET_H
#define KH_CORE_POLICY_BUDGET_H

#include "base/error.h"
#include "core/bcp/bits.h"

#define KH_BUDGET_ANSWER (5 * KH_BITS_WORD) /* a short answer: five words */

struct kh_budget {
	uint64_t budget;
	uint64_t remaining;
	uint64_t reserved;
	uint64_t charged;
};

/* A fresh budget of so many microbits. */
struct kh_budget kh_budget_new(uint64_t microbits);

/* True where budget == remaining + reserved + charged, without overflow: what a store hands over is checked first. */
bool kh_budget_valid(const struct kh_budget *budget);

/*
 * Moves AMOUNT from remaining to reserved in all COUNT budgets.  KH_EREFUSED where one of them has less than that, and
 * then none is changed: the query must not be sent.
 */
enum kh_err kh_budget_reserve(struct kh_budget *const *budgets, size_t count, uint64_t amount) KH_CHECKED;

/*
 * A delivery that was reserved for with RESERVED and has a code of LENGTH: max(RESERVED, LENGTH) is charged (B7).
 * KH_EREFUSED where that would pass one of the budgets: then nothing is changed and the delivery must not be made;
 * kh_budget_forfeit() is what remains to be done.
 */
enum kh_err kh_budget_settle(struct kh_budget *const *budgets, size_t count, uint64_t reserved, uint64_t length,
			     uint64_t *ret_charged) KH_CHECKED;

/* What was not delivered stays charged with its reservation.  KH_EREFUSED where it was never reserved. */
enum kh_err kh_budget_forfeit(struct kh_budget *const *budgets, size_t count, uint64_t reserved) KH_CHECKED;

/* True where reserved + charged is PERCENT or more of the budget (B9).  An empty budget is always past it. */
bool kh_budget_past(const struct kh_budget *budget, unsigned percent);

/* True where the step from BEFORE to AFTER crossed the threshold: the moment to raise the alert, once. */
bool kh_budget_crossed(const struct kh_budget *before, const struct kh_budget *after, unsigned percent);

/*
 * True where a query of AMOUNT is far past a Reader's own history of QUERIES queries with TOTAL microbits (B9): more
 * than four times the mean, once there are eight queries to have a mean of.
 */
bool kh_budget_unusual(uint64_t queries, uint64_t total, uint64_t amount);

/* "about 37 short answers left": what remains, in words.  {NULL, 0} on failure. */
struct kh_view kh_budget_words(struct kh_arena *arena, const struct kh_budget *budget);

#endif
