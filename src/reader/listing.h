/* Lists: bullets, numbered lines, and commas in a line. */
#ifndef KH_READER_LISTING_H
#define KH_READER_LISTING_H

#include "reader/spot.h"

/*
 * The items of the list that the question asks for, separated by commas, as many as fit into an answer; an item that
 * has commas of its own ends there.
 */
kh_spot_finder kh_listing_find;

#endif
