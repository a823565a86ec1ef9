/*
 * Normal forms of text (SPEC B17, S1, S4).  Everything here is linear in its input: runs of more than 30 combining
 * marks are cut before utf8proc sees them, and ASCII takes a fast path.  Input must be valid UTF-8.
 */
#ifndef KH_CORE_SCREEN_NORMALISE_H
#define KH_CORE_SCREEN_NORMALISE_H

#include "base/arena.h"

#define KH_NORMALISE_MARKS 30

/* Normalised text, and what was removed from it. */
struct kh_normalised {
	struct kh_view text;
	size_t soft;    /* zero-width characters and soft hyphens, which honest text sometimes has */
	size_t hidden;  /* every other invisible character: tags, selectors, bidi controls, private use, controls */
	bool marks_cut; /* a run of combining marks was cut */
	bool raised;    /* a digit or a sign was superscript, subscript, circled, in brackets or a fraction */
};

/*
 * Bytes that the normal form of TEXT (NFKC or NFKD) can have at most: found by looking at each character's place in
 * Unicode, without normalising anything.  Ordinary text has up to 3 for a byte; U+FDFA has 11.
 */
size_t kh_normalise_most(struct kh_view text);

/*
 * Text to deliver: NFKC, invisible characters removed, every run of Unicode white space as one space, none at the ends.
 * Case is kept.
 */
enum kh_err kh_normalise_text(struct kh_arena *arena, struct kh_view text, struct kh_normalised *ret) KH_CHECKED;

/* The same in lower case (character by character: no length-changing folds but those of NFKC). */
enum kh_err kh_normalise_lower(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_text) KH_CHECKED;

/*
 * A key to compare by: as kh_normalise_text, then full case folding, and NFKC again.  Texts with equal keys count as
 * the same.
 */
enum kh_err kh_normalise_key(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_key) KH_CHECKED;

/*
 * A skeleton for scanning: as kh_normalise_key, with confusable characters folded to the ASCII letter they look like
 * and accents removed; not composed again.  Used by the screen only; never delivered.
 */
enum kh_err kh_normalise_skeleton(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_text) KH_CHECKED;

/*
 * A form for scanning, with ORIGIN: for each byte of it the offset in TEXT that it came from, and for its end TEXT's.
 * NFKD without invisible characters, blanks as in kh_normalise_text.  TEXT may be any bytes: those that are not UTF-8
 * are left out.
 */
#define KH_NORMALISE_FOLD      1U /* case folded, accents removed */
#define KH_NORMALISE_LOOKALIKE 2U /* confusable characters folded to ASCII */
#define KH_NORMALISE_WIDE      4U /* two blanks or more in a row as two, not as one */

enum kh_err kh_normalise_form(struct kh_arena *arena, struct kh_view text, unsigned flags, struct kh_view *ret_text,
			      uint32_t **ret_origin) KH_CHECKED;

#endif
