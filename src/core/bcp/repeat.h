/* Redundant extraction (B14): the same thing asked again in a fresh context, and the answers compared. */
#ifndef KH_CORE_BCP_REPEAT_H
#define KH_CORE_BCP_REPEAT_H

#include "core/bcp/answer.h"

/*
 * The N-th (from 1) further time that QUERY is put to a Reader: only the fields and questions
 * that are asked that often, with the N-th rephrasing.  False where there is nothing to ask.
 */
bool kh_repeat_query(struct kh_arena *arena, const struct kh_query *query, unsigned n, struct kh_query *ret_query);

/* Compares the answer to the N-th repetition with ANSWER, and holds ANSWER where they differ. */
void kh_repeat_compare(struct kh_answer *answer, const struct kh_query *query, const struct kh_answer *repeated,
		       const struct kh_query *repeated_query);

#endif
