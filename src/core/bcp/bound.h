/*
 * Bounds (B7): the most that an answer can carry, in microbits.  It is announced by `bcp check`, reserved when a query
 * is admitted, and charged when the answer is delivered.
 *
 * Guarantee: no more than 2^bound different answers to a question can be delivered.  A format with a finite grammar has
 * the logarithm of the number of its canonical forms.  The others have base + rate * words: an answer whose code
 * (code.h) is longer than that is rejected.
 */
#ifndef KH_CORE_BCP_BOUND_H
#define KH_CORE_BCP_BOUND_H

#include "core/bcp/format.h"

/* Of an answer of FORMAT with the details that the question asks for, and at most MAX_WORDS words. */
uint64_t kh_bound_answer(enum kh_format format, struct kh_format_detail detail, unsigned max_words);

/* Of a summary of at most MAX_WORDS words. */
uint64_t kh_bound_summary(unsigned max_words);

/* True if the code of TEXT, an answer of FORMAT in its canonical form, is within its bound. */
bool kh_bound_holds(enum kh_format format, struct kh_view text, unsigned max_words);

bool kh_bound_holds_summary(struct kh_view text, unsigned max_words);

#endif
