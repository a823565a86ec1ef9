/*
 * Escalations (SPEC B10, B19): which query is one, and what a task's budget of them says.  Pure functions of counters:
 * the engine keeps the counters and looks up what was asked before for the same need.
 */
#ifndef KH_CORE_POLICY_ESCALATION_H
#define KH_CORE_POLICY_ESCALATION_H

#include "base/view.h"

/*
 * True where a query of CATEGORY (1-3) with so many MICROBITS is an escalation (B10: more than 64 bits in category 1).
 * LOWEST is the lowest category asked earlier in the same task for the same need, or target; 0 where this is the first.
 */
bool kh_escalation_is(unsigned category, uint64_t microbits, unsigned lowest);

enum kh_escalation {
	KH_ESCALATION_NONE,  /* not one */
	KH_ESCALATION_TAKEN, /* within the budget; a category-3 one goes to a human first (B20) */
	KH_ESCALATION_FAILS, /* beyond it: the task fails, with all its open queries */
};

/* What an escalation comes to when USED of LIMIT are gone.  USED is one more after KH_ESCALATION_TAKEN. */
enum kh_escalation kh_escalation_take(bool escalation, uint64_t used, uint64_t limit);

#endif
