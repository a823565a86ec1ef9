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
	uint64_t time; /* log2 of the release slots (B17), or pairs or triples of them; 0: deliveries leave at once */
	uint64_t total;
};

/*
 * The account of a query or a call with a maximum of CONTENT, answered within DEADLINE_MS.  MOMENTS (1 to 3): how many
 * slots of it the Controller can see, none before the last: the one of the outcome; the one in which it is told
 * `pending`, if a reviewer may be asked; and the one in which a caller who does not wait is told that it was taken, if
 * it was compared with content before.  KH_ELIMIT if the sum overflows.
 */
enum kh_err kh_account_open(enum kh_release release, uint64_t content, uint64_t deadline_ms, unsigned moments,
			    struct kh_account *ret_account) KH_CHECKED;

/* Milliseconds: longer than content is looked at before a call is told as taken, pending or refused. */
#define KH_ACCOUNT_TAKEN_MS 600000

/*
 * What a decision on an act tells, if it has to be made within LIMIT_MS: its outcome, its moment, and the slot from which
 * the act is `pending`, because it is compared with content before.
 */
uint64_t kh_account_decision(enum kh_release release, uint64_t limit_ms);

#endif
