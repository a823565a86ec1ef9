/*
 * Bandwidth budgets (SPEC B6, B8, B9), in microbits.
 *
 * For every task and context at every moment: budget == remaining + reserved + charged, and remaining is
 * max(0, limit - reserved - charged), where the limit is that of the policy in force.  The fields are unsigned, so
 * nothing can be taken that is not there.  Every function here checks first and then changes all, or changes nothing.
 * A query is paid from its task's and its context's budget together: the functions take a list of budgets and do the
 * same to all of them or to none.
 *
 * There is no refund.  A reservation is charged in the end whether the answer is delivered or not, so that a balance
 * reveals nothing about what a Reader answered.
 */
#ifndef KH_CORE_POLICY_BUDGET_H
#define KH_CORE_POLICY_BUDGET_H

#include "base/error.h"
#include "core/bcp/bits.h"

/*
 * A short answer, the unit that people are told: what a short_text of five words reserves.  470 bits are for the text
 * (bound.c), 10 for outcome and time.
 */
#define KH_BUDGET_ANSWER (480 * KH_MICROBIT)

/* No budget of its own: more than any policy can say. */
#define KH_BUDGET_ANY (UINT64_C(1) << 53)

struct kh_budget {
	uint64_t budget; /* the limit, or what was spent under a higher one before */
	uint64_t remaining;
	uint64_t reserved;
	uint64_t charged;
	uint64_t own; /* set for the task or the token itself, or KH_BUDGET_ANY; 0: it was made before that was kept */
};

/* A fresh budget of so many microbits, with none of its own. */
struct kh_budget kh_budget_new(uint64_t microbits);

/* True if budget == remaining + reserved + charged, without overflow.  Check every budget that comes from a store. */
bool kh_budget_valid(const struct kh_budget *budget);

/*
 * BUDGET with its own one known.  If that was not kept, it has one if it is smaller than ONCE, the default of then: what
 * was set for one could only be smaller, and what somebody made smaller does not grow by itself.
 */
struct kh_budget kh_budget_with_own(struct kh_budget budget, uint64_t once);

/* BUDGET, which is sound, under LIMIT: remaining is max(0, LIMIT - reserved - charged) (B6). */
struct kh_budget kh_budget_under(struct kh_budget budget, uint64_t limit);

/*
 * Moves AMOUNT from remaining to reserved in all COUNT budgets.  KH_EREFUSED if one of them has less than that; then
 * none is changed and the query must not be sent.
 */
enum kh_err kh_budget_reserve(struct kh_budget *const *budgets, size_t count, uint64_t amount) KH_CHECKED;

/*
 * Charges a reservation, whether the answer was delivered or not (B7): exactly what was announced.  KH_EREFUSED if it
 * was never reserved; then nothing is changed.
 */
enum kh_err kh_budget_charge(struct kh_budget *const *budgets, size_t count, uint64_t reserved) KH_CHECKED;

/* True if reserved + charged is PERCENT or more of the budget (B9).  An empty budget is always past it. */
bool kh_budget_past(const struct kh_budget *budget, unsigned percent);

/* True if the step from BEFORE to AFTER crossed the threshold: raise the alert then, once. */
bool kh_budget_crossed(const struct kh_budget *before, const struct kh_budget *after, unsigned percent);

/*
 * True if a query of AMOUNT is far past a Reader's own history of QUERIES queries with TOTAL microbits (B9): more than
 * four times the mean, if there are at least eight queries.
 */
bool kh_budget_unusual(uint64_t queries, uint64_t total, uint64_t amount);

/* What remains, in words: "about 34 short answers left".  {NULL, 0} on failure. */
struct kh_view kh_budget_words(struct kh_arena *arena, const struct kh_budget *budget);

#endif
