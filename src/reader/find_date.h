/*
 * Dates and times of day in a text: the one that a question asks for.  Each is read by kh_date_read() and given back in
 * the form of ISO 8601, so that what two readers could take for two days is no candidate at all.
 */
#ifndef KH_READER_FIND_DATE_H
#define KH_READER_FIND_DATE_H

#include "reader/spot.h"

/* False where the text has none.  Out of memory marks the arena. */
bool kh_find_date_day(struct kh_spot *spot, struct kh_view *ret_text);
bool kh_find_date_clock(struct kh_spot *spot, struct kh_view *ret_text);

/* Both together; where none stand together the best of each, if they are in the same sentence or line. */
bool kh_find_date_both(struct kh_spot *spot, struct kh_view *ret_text);

#endif
