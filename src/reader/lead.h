/* Sentences: the one that answers a question best, and those at the beginning of a text. */
#ifndef KH_READER_LEAD_H
#define KH_READER_LEAD_H

#include "reader/spot.h"

/* At most as many words as an answer may have: the text after a label that the question names, else the best sentence. */
kh_spot_finder kh_lead_text;

/* The first complete sentences of the body, in at most MAX_WORDS words; the first one is cut if it is longer. */
struct kh_view kh_lead_summary(struct kh_arena *arena, const struct kh_tokens *tokens, unsigned max_words);

/* The first MAX_WORDS words of TEXT; blanks separate words. */
struct kh_view kh_lead_cut(struct kh_view text, unsigned max_words);

#endif
