/* Numbers and amounts of money as a text writes them: finds where they begin and end. */
#ifndef KH_READER_FIND_NUMBER_H
#define KH_READER_FIND_NUMBER_H

#include "reader/spot.h"

/* The whole number, in digits or words ("7", "1,200", "twelve"), that begins at token I; *RET_LAST is its last token.
 */
bool kh_find_number_small(const struct kh_tokens *tokens, size_t i, int64_t *ret_number, size_t *ret_last);

/* The whole number, the number (percent and scales too) or the amount of money that a question asks for, in digits. */
kh_spot_finder kh_find_number_whole, kh_find_number_any;
kh_spot_finder kh_find_number_amount; /* "1200.50 USD", or "USD1200.50" if an answer has only one word */

#endif
