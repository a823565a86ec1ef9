/*
 * Measures how much a text says (E3): a justification of filler words ("need some information", "because") is not
 * enough.  The normalised text is counted, so that invisible characters and odd spellings do not help.
 *
 * A word is a function word (articles, pronouns, prepositions: a closed class of each language), a general word (one
 * that speaks of asking, needing and knowing itself, and so fits any reason), too slight to be either (a letter or two,
 * one letter repeated), or telling: everything else.  Texts without blanks between words are counted by characters.
 */
#ifndef KH_CORE_COMM_VAGUE_H
#define KH_CORE_COMM_VAGUE_H

#include "base/arena.h"

#include <stdbool.h>

#define KH_VAGUE_CHARACTERS 10 /* minimum of each part of a justification */

struct kh_vague {
	size_t characters;
	size_t words;
	size_t telling, general; /* each word counted once; at most 64 of both */
	size_t own_telling;      /* of these: those that are not in what the text is about */
	size_t own_general;
};

/*
 * TEXT must be valid UTF-8.  ABOUT: what the text is about, such as the operation's name and parameters; may be empty.
 */
enum kh_err kh_vague_measure(struct kh_arena *arena, struct kh_view text, struct kh_view about,
			     struct kh_vague *ret) KH_CHECKED;

/*
 * True if the text says nothing in particular: it has no telling word, or only one and nothing to go with it, or (with
 * words in ABOUT) it does no more than repeat those.
 */
bool kh_vague_is(const struct kh_vague *vague);

#endif
