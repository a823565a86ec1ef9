/* Lists: bullets, numbered lines, and commas in a line. */
#ifndef KH_READER_LISTING_H
#define KH_READER_LISTING_H

#include "reader/spot.h"

/*
 * The items of the list that the question asks for, separated by commas, as many as fit into MAX_WORDS words; an item
 * that has commas of its own ends there.  False if the text has no list.
 */
bool kh_listing_find(struct kh_spot *spot, unsigned max_words, struct kh_view *ret_text);

#endif
