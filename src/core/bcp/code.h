/*
 * The code of B7: one fixed, public prefix code for delivered text, so that the charge for a delivery is a proven bound
 * and not an estimate: at most 2^b different texts cost b bits or fewer.
 *
 *   text    = the number of words less one, in ceil(log2(max_words)) bits; then each word
 *   word    = 1 and its place in words-2048.txt in 11 bits, or
 *             0 and its characters and the terminator
 *   symbol  = 5 bits: 0-25 a letter a-z; 26 the terminator; else an escape:
 *             27 and 4 bits, a digit; 28 and 5 bits, other printable ASCII; 29 and 5 bits, a letter A-Z;
 *             30 and 16 bits, a character up to U+FFFF; 31 and 20 bits, a character past it
 *
 * A canonical form can have more words than the question allowed for the answer ("$5" is one word, "5.00 USD" two):
 * then the last word includes the rest, with blanks spelled as characters.
 */
#ifndef KH_CORE_BCP_CODE_H
#define KH_CORE_BCP_CODE_H

#include "base/view.h"

/* The length in microbits of TEXT (normalised: words separated by single spaces, not empty) under MAX_WORDS. */
uint64_t kh_code_length(struct kh_view text, unsigned max_words);

/*
 * The number of bits of one spelled character and, if RET_VALUE is not NULL, their value, most significant bit first.
 */
unsigned kh_code_symbol(uint32_t c, uint64_t *ret_value);

#define KH_CODE_TERMINATOR_BITS  5
#define KH_CODE_TERMINATOR_VALUE 26

/* The index of WORD (lower case) in the list, or -1. */
int kh_code_word(struct kh_view word);

#endif
