/*
 * A query's account (SPEC B8).  A Reader can send information not only in its text but also in the outcome and the time
 * of delivery.  The items are the fields or the text, the outcome, and the time of delivery; a query reserves their sum
 * from its budgets.
 */
#ifndef KH_CORE_POLICY_ACCOUNT_H
#define KH_CORE_POLICY_ACCOUNT_H

#include "core/policy/policy.h"

/* In microbits. */
struct kh_account {
	uint64_t content; /* fields or text: the maximum */
	uint64_t outcome; /* the Controller can tell at most eight results apart */
	uint64_t time;    /* log2 of the release slots (B17), or pairs of them; 0 if deliveries leave at once */
	uint64_t total;
};

/*
 * The account of a query with a maximum of CONTENT, answered within DEADLINE_MS.  MAY_HOLD: a reviewer may be asked, so
 * the Controller sees two slots: the one in which it is told `pending`, and the one of the outcome, which is not before
 * the first.  KH_ELIMIT if the sum overflows.
 */
enum kh_err kh_account_open(enum kh_release release, uint64_t content, uint64_t deadline_ms, bool may_hold,
			    struct kh_account *ret_account) KH_CHECKED;

/* What a decision on an act tells by its outcome and its moment, if it has to be made within LIMIT_MS. */
uint64_t kh_account_decision(enum kh_release release, uint64_t limit_ms);

#endif
