/*
 * Numbers as people write them: signs, thousands separators of several countries, "1.2 million" (B11).  Exact decimals,
 * no floating point.
 */
#ifndef KH_CORE_BCP_NUMBER_H
#define KH_CORE_BCP_NUMBER_H

#include "base/arena.h"

/* VALUE / 10^PLACES */
struct kh_number {
	int64_t value;
	unsigned places; /* digits after the point, at most 18 */
};

/* All of TEXT as a number of at most 18 digits.  False and a description of the problem if it is not one. */
bool kh_number_read(struct kh_view text, struct kh_number *ret_number, const char **ret_problem);

/* The same with a currency before or after it; returns its ISO 4217 code. */
bool kh_number_read_amount(struct kh_arena *arena, struct kh_view text, struct kh_number *ret_number,
			   struct kh_view *ret_code, const char **ret_problem);

/* Writes a number with as many digits after the point as it needs, but at least MIN_PLACES. */
struct kh_view kh_number_write(struct kh_arena *arena, struct kh_number number, unsigned min_places);

/*
 * kh_number_add(): A + B; false if the sum has more than 18 digits. kh_number_cmp(): -1, 0, 1 for A < B, A == B, A > B.
 */
bool kh_number_add(struct kh_number a, struct kh_number b, struct kh_number *ret_sum);
int kh_number_cmp(struct kh_number a, struct kh_number b);

#endif
