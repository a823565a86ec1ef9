/*
 * The code of B7: one fixed, public prefix code for delivered text, so that the bound of an answer is a proven one and
 * not an estimate: at most 2^b different texts have a code of b bits or fewer.
 *
 *   text    = the number of words less one, in ceil(log2(max_words)) bits; then each word
 *   word    = 1 and its place in words-2048.txt in 11 bits, or
 *             0 and its characters and the terminator
 *
 * How a character is written depends on the page that is in force (page.c).  A text begins with page 0, Latin:
 *
 *   5 bits: 0-25 a letter a-z; 26 the terminator; else an escape:
 *           27 and 4 bits, a digit or one of , - . / ' @; 28 and 5 bits, other printable ASCII and a few signs;
 *           29, 0 and 5 bits, a letter of Latin-1; 29, 1 and 7 bits, a Latin letter past it;
 *           30 and 5 bits: this page is in force from now on; its code of the character follows;
 *           31 and 21 bits, any character
 *
 * Every other page has codes of n bits, n from 5 (Cyrillic) to 15 (Chinese characters): 0 the terminator; 1 the escape,
 * and 2 bits: 0 and the 5 bits of another page, 1 and 7 bits, an ASCII character, 2 and 21 bits, any character, 3 and 6
 * bits, a rare character of the page; from 2 on its common characters.
 *
 * A character is written by the page in force if that has it, else by the first page that lists it, else as any
 * character.  Before its first character a word may turn to the page for digits, the one for
 * accents, or back.
 *
 * A canonical form can have more words than the question allowed for the answer ("a,b" is one word, "a, b" two): then
 * the last word includes the rest, with blanks spelled as characters.
 */
#ifndef KH_CORE_BCP_CODE_H
#define KH_CORE_BCP_CODE_H

#include "core/bcp/page.h"

/* The length in microbits of TEXT (normalised: words separated by single spaces, not empty) under MAX_WORDS. */
uint64_t kh_code_length(struct kh_view text, unsigned max_words);

/* What comes before the characters of a spelled WORD: nothing, or the turn to another Latin page if that is shorter. */
struct kh_page_code kh_code_begin(unsigned *page, struct kh_view word);

/* The code of one spelled character while *PAGE is in force.  *PAGE becomes the page that is in force after it. */
struct kh_page_code kh_code_symbol(unsigned *page, uint32_t c);

/* The index of WORD (lower case) in the list, or -1. */
int kh_code_word(struct kh_view word);

#endif
