/* Undoing what people read through without noticing (S1): letters written as digits, and letters with gaps between. */
#ifndef KH_CORE_SCREEN_DISGUISE_H
#define KH_CORE_SCREEN_DISGUISE_H

#include "base/arena.h"

/*
 * TEXT (a skeleton) with digits and signs inside words as the letters they stand for; byte for byte, so offsets stay.
 * ELL says whether 1, ! and | are an l or an i.  The number of characters changed in words that have letters too.
 */
enum kh_err kh_disguise_leet(struct kh_arena *arena, struct kh_view text, bool ell, struct kh_view *ret_text,
			     size_t *ret_changed) KH_CHECKED;

struct kh_spaced {
	struct kh_view text;
	uint32_t *origin;   /* of each byte in the source, and of the end */
	size_t letters;     /* single letters that were joined: the longest run of them */
	size_t first, last; /* where that run is, in the source */
};

/* TEXT with "s e n d" joined to "send"; a wider gap is the end of a word. */
enum kh_err kh_disguise_spaced(struct kh_arena *arena, struct kh_view text, struct kh_spaced *ret) KH_CHECKED;

#endif
