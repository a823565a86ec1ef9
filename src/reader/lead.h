/* Sentences: the one that answers a question best, and those at the beginning of a text. */
#ifndef KH_READER_LEAD_H
#define KH_READER_LEAD_H

#include "reader/spot.h"

/* At most MAX_WORDS words: the text after a label that the question names, else the best sentence. */
bool kh_lead_text(struct kh_spot *spot, unsigned max_words, struct kh_view *ret_text);

/* The first complete sentences of the body, in at most MAX_WORDS words; the first one is cut if it is longer. */
struct kh_view kh_lead_summary(struct kh_arena *arena, const struct kh_tokens *tokens, unsigned max_words);

/* The first MAX_WORDS words of TEXT; blanks separate words. */
struct kh_view kh_lead_cut(struct kh_view text, unsigned max_words);

#endif
