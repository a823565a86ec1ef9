/*
 * Finds the date or time of day in a text that a question asks for.  Each is parsed by kh_date_read() and returned in
 * the form of ISO 8601.  A date that could be read as two different days is not a candidate.
 */
#ifndef KH_READER_FIND_DATE_H
#define KH_READER_FIND_DATE_H

#include "reader/spot.h"

/* False if the text has none.  Out of memory marks the arena. */
bool kh_find_date_day(struct kh_spot *spot, struct kh_view *ret_text);
bool kh_find_date_clock(struct kh_spot *spot, struct kh_view *ret_text);

/* Both together; if none stand together, the best of each, if they are in the same sentence or line. */
bool kh_find_date_both(struct kh_spot *spot, struct kh_view *ret_text);

#endif
