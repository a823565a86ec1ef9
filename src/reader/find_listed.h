/* Countries and languages: words of the text that are in the closed lists of the formats. */
#ifndef KH_READER_FIND_LISTED_H
#define KH_READER_FIND_LISTED_H

#include "reader/spot.h"

/* In the list's own spelling; false if the text names none. */
bool kh_find_listed_country(struct kh_spot *spot, struct kh_view *ret_text);

/* A question for the language of the text itself ("written in") is answered by the text's most common words. */
bool kh_find_listed_language(struct kh_spot *spot, struct kh_view *ret_text);

#endif
