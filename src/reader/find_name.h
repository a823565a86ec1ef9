/* Names of persons: the sender, the recipient, and whoever is near the question's words. */
#ifndef KH_READER_FIND_NAME_H
#define KH_READER_FIND_NAME_H

#include "reader/spot.h"

kh_spot_finder kh_find_name_person; /* as the text writes it */

/* The end of the name that begins at token I, as names are written in a text; I if there is none. */
size_t kh_find_name_end(const struct kh_tokens *tokens, size_t i);

#endif
