/*
 * Mends the spelling of short texts (B13): words with one letter too few, too many, wrong or in the wrong place; words
 * without blanks between them; letters that are doubled.  A human or a model reads these without effort, but no rule
 * finds them.  The words are those of the lexicon.  A word that is spelled as it is meant stays as it is.
 */
#ifndef KH_CORE_SCREEN_MEND_H
#define KH_CORE_SCREEN_MEND_H

#include "base/arena.h"

#define KH_MEND_MAX 16384 /* bytes of a text that are mended: its beginning */

struct kh_mended {
	struct kh_view text;
	uint32_t *origin;  /* of each byte in the skeleton, and of the end */
	size_t words;      /* that were read */
	size_t wrong;      /* of these, with one letter wrong */
	size_t long_wrong; /* of these, meant for words of five letters or more */
	size_t doubled;    /* with letters doubled */
	size_t glued;      /* words found without blanks between them */
	size_t most_glued; /* of these, in one word */
	bool endless;      /* a word is so long that it must be several, in any language */
	bool changed;
};

/*
 * Mends SKELETON, at most KH_MEND_MAX bytes of it.  Linear; a kilobyte of words that nobody knows costs a millisecond.
 * A NAME is mended more freely.
 */
enum kh_err kh_mend_text(struct kh_arena *arena, struct kh_view skeleton, bool name, struct kh_mended *ret) KH_CHECKED;

#endif
