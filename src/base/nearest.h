/*
 * The name that a misspelled word was probably meant to be, for messages: "did you mean ...?".
 *
 * Trusts nobody: the word comes from the user and may have any length.  Returns only names of the program's own tables.
 */
#ifndef KH_BASE_NEAREST_H
#define KH_BASE_NEAREST_H

#include "base/view.h"

struct kh_nearest {
	struct kh_view word;
	struct kh_view name; /* the nearest so far; empty: none */
	size_t distance;     /* its distance from WORD */
};

/* Begins a search for WORD, which must stay valid until the search has ended. */
void kh_nearest_begin(struct kh_nearest *n, struct kh_view word);

/*
 * Compares NAME with the word.  The distance is the number of letters that are inserted, left out, replaced or swapped
 * with their neighbour.  A name is near if that is at most a third of the word's letters.  Of two names at the same
 * distance the first counts.
 */
void kh_nearest_try(struct kh_nearest *n, struct kh_view name);

#endif
