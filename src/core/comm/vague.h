/*
 * Measures how much a text says (E3): a justification of filler words ("need some information", "because") is not
 * enough.  The normalised text is counted, so that invisible characters and odd spellings do not help.
 */
#ifndef KH_CORE_COMM_VAGUE_H
#define KH_CORE_COMM_VAGUE_H

#include "base/arena.h"

#define KH_VAGUE_CHARACTERS 10 /* minimum of each part of a justification */
#define KH_VAGUE_TELLING    2  /* minimum of meaningful words in it */

struct kh_vague {
	size_t characters;
	size_t words;
	size_t telling; /* words that are not filler, each counted once */
};

/* TEXT must be valid UTF-8. */
enum kh_err kh_vague_measure(struct kh_arena *arena, struct kh_view text, struct kh_vague *ret) KH_CHECKED;

#endif
