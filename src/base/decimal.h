/*
 * Numbers of JSON as exact decimals: digits * 10^exponent, with a sign.
 *
 * An integer of 64 bits is taken exactly.  Any other number is a double once it has been read; it stands here as the
 * shortest decimal that reads as that double, which is what its writer wrote as long as that had at most 15 digits.  So
 * 0.3 is three times 0.1, and 2^53 + 1 is not 2^53.
 */
#ifndef KH_BASE_DECIMAL_H
#define KH_BASE_DECIMAL_H

#include "base/json.h"

struct kh_decimal {
	uint64_t digits; /* without zeros at the end; 0 only for zero, which has no sign and the exponent 0 */
	int32_t exponent;
	bool negative;
};

/* VAL must be a number. */
struct kh_decimal kh_decimal_of(const yyjson_val *val);

/* Less than, equal to or greater than 0, as A is to B. */
int kh_decimal_cmp(struct kh_decimal a, struct kh_decimal b);

/* Whether A is an integer times OF, which is not zero. */
bool kh_decimal_is_multiple(struct kh_decimal a, struct kh_decimal of);

/* False if D is not an integer within int64. */
bool kh_decimal_int(struct kh_decimal d, int64_t *ret_value);

/* Writes D for a message, with a NUL: "-12.5", "1e400". */
#define KH_DECIMAL_TEXT 64
void kh_decimal_text(struct kh_decimal d, char text[KH_DECIMAL_TEXT]);

/*
 * The shortest digits that read as VALUE, which is positive and finite, and their exponent: 0.d1d2... * 10^exponent.
 * Returns how many digits there are: at most 17, neither the first nor the last a zero.
 */
#define KH_DECIMAL_DIGITS 32
int kh_decimal_shortest(double value, char digits[KH_DECIMAL_DIGITS], int *ret_exponent);

#endif
