/*
 * Finds the date or time of day in a text that a question asks for.  Each is parsed by kh_date_read() and returned in
 * the form of ISO 8601.  A date that could be read as two different days is not a candidate.
 */
#ifndef KH_READER_FIND_DATE_H
#define KH_READER_FIND_DATE_H

#include "reader/spot.h"

kh_spot_finder kh_find_date_day, kh_find_date_clock;
kh_spot_finder kh_find_date_both; /* if none stand together, the best of each, if they are in one sentence or line */

#endif
