/*
 * Escalations (SPEC B10, B19): which query is one, and whether a task's budget of escalations allows it.  Pure
 * functions of counters: the engine keeps the counters and looks up what was asked before about the same thing.
 */
#ifndef KH_CORE_POLICY_ESCALATION_H
#define KH_CORE_POLICY_ESCALATION_H

#include "base/view.h"

/*
 * True if a query of CATEGORY (1-3) with so many MICROBITS is an escalation (B10: more than 64 bits in category 1).
 * LOWEST is the lowest category asked earlier in the same task about the same thing; 0 if this is the first.
 */
bool kh_escalation_is(unsigned category, uint64_t microbits, unsigned lowest);

enum kh_escalation {
	KH_ESCALATION_NONE,  /* not an escalation */
	KH_ESCALATION_TAKEN, /* within the budget; a category-3 one goes to a human first (B20) */
	KH_ESCALATION_FAILS, /* beyond the budget: the task fails, with all its open queries */
};

/*
 * What follows from an escalation if USED of LIMIT are used up.  The caller adds one to USED after KH_ESCALATION_TAKEN.
 */
enum kh_escalation kh_escalation_take(bool escalation, uint64_t used, uint64_t limit);

#endif
