/*
 * The alphabets of the text code (B7): each page has the characters of one script, so that a letter of a common script
 * costs about as much as one of a-z.  code.h has the whole code.
 */
#ifndef KH_CORE_BCP_PAGE_H
#define KH_CORE_BCP_PAGE_H

#include "base/view.h"

#define KH_PAGE_COUNT 28 /* of at most 2^KH_PAGE_BITS */
#define KH_PAGE_BITS  5
#define KH_PAGE_LATIN 0
#define KH_PAGE_HEX   26 /* digits, a-f and marks: for numbers, UUIDs, account numbers */
#define KH_PAGE_WEST  27 /* a-z and the letters of Latin-1: for words with many accents */

/* A sequence of bits: its value, most significant bit first, and how many there are. */
struct kh_page_code {
	uint64_t value;
	unsigned bits;
};

/* The code of C if PAGE, which is in force, has it; false if it has not. */
bool kh_page_has(unsigned page, uint32_t c, struct kh_page_code *ret_code);

/* The first page that lists C; false if none does. */
bool kh_page_find(uint32_t c, unsigned *ret_page);

/* While PAGE is in force: the end of a word, the turn to page TO, the mark before any character. */
struct kh_page_code kh_page_terminator(unsigned page);
struct kh_page_code kh_page_turn(unsigned page, unsigned to);
struct kh_page_code kh_page_any(unsigned page);

#endif
