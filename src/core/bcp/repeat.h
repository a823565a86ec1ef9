/* Redundant extraction (B14): asks the same thing again in a fresh context and compares the answers. */
#ifndef KH_CORE_BCP_REPEAT_H
#define KH_CORE_BCP_REPEAT_H

#include "core/bcp/answer.h"

/*
 * The query for the N-th (from 1) repetition of QUERY: only the fields and questions that are asked that often, with
 * the N-th rephrasing.  False if there is nothing to ask.
 */
bool kh_repeat_query(struct kh_arena *arena, const struct kh_query *query, unsigned n, struct kh_query *ret_query);

/* Compares the answer to the N-th repetition with ANSWER, and holds ANSWER if they differ. */
void kh_repeat_compare(struct kh_answer *answer, const struct kh_query *query, const struct kh_answer *repeated,
		       const struct kh_query *repeated_query);

#endif
