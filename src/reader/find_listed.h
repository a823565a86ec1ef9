/* Countries and languages: words of the text that are in the closed lists of the formats. */
#ifndef KH_READER_FIND_LISTED_H
#define KH_READER_FIND_LISTED_H

#include "reader/spot.h"

/*
 * In the list's own spelling.  A question for the language of the text itself ("written in") is answered by the text's
 * most common words.
 */
kh_spot_finder kh_find_listed_country, kh_find_listed_language;

#endif
