/* What a decision does to the query that waited for it, in the transaction of the decision or of the expiry. */
#ifndef KH_ENGINE_QUERY_HELD_H
#define KH_ENGINE_QUERY_HELD_H

#include "engine/approval/follow.h"

/*
 * An approved escalation goes to its Reader; a held answer becomes ready unchanged; a rejected or expired one ends.  An
 * edit is judged like an answer (B15), except that it is not held again, because a human wrote it: KH_EREFUSED
 * `bad_edit` with the first reason.
 */
extern const struct kh_approval_follow kh_held_follow;

#endif
