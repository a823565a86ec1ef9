/*
 * Ways in which content is taken apart within one call (K7), undone: each word backwards, the values of a query string,
 * the letters or the words of several texts in turn.  All texts are folded (fold.h), so a byte is a character.
 */
#ifndef KH_CORE_BLOCK_MIXED_H
#define KH_CORE_BLOCK_MIXED_H

#include "base/buf.h"

#define KH_MIXED_TEXTS 4 /* most texts that are read in turn */

/* Each word of TEXT backwards; with BLANKS a word is what stands between two blanks, with its punctuation. */
void kh_mixed_turned(struct kh_buf *out, struct kh_view text, bool blanks);

/* The values of a query string without the names of their keys. */
void kh_mixed_values(struct kh_buf *out, struct kh_view text);

/* The letters of N texts in turn, or their words, up to the end of the longest. */
void kh_mixed_letters(struct kh_buf *out, const struct kh_view *texts, size_t n);
void kh_mixed_words(struct kh_buf *out, const struct kh_view *texts, size_t n);

#endif
