/*
 * How much a text says (E3): a justification of filler words ("need some information", "because") justifies nothing.
 * The count is over the normalised text, so that invisible characters and odd spellings do not help.
 */
#ifndef KH_CORE_COMM_VAGUE_H
#define KH_CORE_COMM_VAGUE_H

#include "base/arena.h"

#define KH_VAGUE_CHARACTERS 10 /* that each part of a justification has at least */
#define KH_VAGUE_TELLING    2  /* words that it has at least and that say something */

struct kh_vague {
	size_t characters;
	size_t words;
	size_t telling; /* words that are no filler, each once */
};

/* TEXT must be valid UTF-8. */
enum kh_err kh_vague_measure(struct kh_arena *arena, struct kh_view text, struct kh_vague *ret) KH_CHECKED;

#endif
