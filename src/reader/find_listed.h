/* Countries and languages: words of the text that stand in the closed lists of the formats. */
#ifndef KH_READER_FIND_LISTED_H
#define KH_READER_FIND_LISTED_H

#include "reader/spot.h"

/* The list's own spelling; false where the text names none. */
bool kh_find_listed_country(struct kh_spot *spot, struct kh_view *ret_text);

/* A question for the language that the text is in ("written in") is answered by the text's commonest words. */
bool kh_find_listed_language(struct kh_spot *spot, struct kh_view *ret_text);

#endif
