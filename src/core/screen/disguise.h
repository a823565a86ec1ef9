/*
 * Undoes disguises that people read without noticing (S1): letters written as digits, and letters with gaps between
 * them.
 */
#ifndef KH_CORE_SCREEN_DISGUISE_H
#define KH_CORE_SCREEN_DISGUISE_H

#include "base/arena.h"

/*
 * TEXT (a skeleton) with digits and signs inside words replaced by the letters they stand for, byte for byte, so that
 * offsets stay the same: 1, ! and | by an i.  Also gives the number of characters changed in words that have letters
 * too.
 */
enum kh_err kh_disguise_leet(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_text,
			     size_t *ret_changed) KH_CHECKED;

/* The same of TEXT and its LEET_TEXT, with 1, ! and | as an l; *RET_DIFFERS: that makes a difference. */
enum kh_err kh_disguise_ell(struct kh_arena *arena, struct kh_view text, struct kh_view leet_text,
			    struct kh_view *ret_text, bool *ret_differs) KH_CHECKED;

struct kh_spaced {
	struct kh_view text;
	uint32_t *origin;   /* offset of each byte in the source, and of the end */
	size_t letters;     /* single letters that were joined: the longest run of them */
	size_t first, last; /* offsets of that run in the source */
};

/* TEXT with "s e n d" joined to "send"; a wider gap is the end of a word. */
enum kh_err kh_disguise_spaced(struct kh_arena *arena, struct kh_view text, struct kh_spaced *ret) KH_CHECKED;

/*
 * The phrase around byte AT of TEXT that may be reversed or in rot13: [*RET_START, *RET_END), without the words at both
 * ends that can be read as they are.
 */
void kh_disguise_phrase(struct kh_view text, size_t at, size_t *ret_start, size_t *ret_end);

#endif
