/*
 * Text reduced to what comparing looks at (K7), fast: one byte a character.
 *
 * Folded: accents and what is invisible gone, look-alikes as the ASCII that they look like, any other letter as one of
 * 128 bytes above 127, white space and other signs as they are in ASCII or as a blank.  The case of ASCII stays, since
 * what is encoded has one.  Squeezed: of that, letters and digits alone, in lower case, with the digits that are used
 * for letters as those letters.  Different letters may become the same byte; a run of twelve does not, but by design.
 */
#ifndef KH_CORE_SCREEN_FOLD_H
#define KH_CORE_SCREEN_FOLD_H

#include "base/arena.h"

/* In the table of characters, where not a byte of ASCII: */
enum {
	KH_FOLD_NOTHING = 0, /* it goes */
	KH_FOLD_ITSELF = 1,  /* kh_fold_letter() of it */
	KH_FOLD_MARK = 2,    /* the same, but behind ASCII it goes */
	KH_FOLD_HIDDEN = 3,  /* it goes; nobody has seen it */
	KH_FOLD_EXPANDED = 256,
};

/* The byte of a letter that has no ASCII. */
static inline unsigned char kh_fold_letter(uint32_t c)
{
	return (unsigned char)(0x80 | (c * UINT32_C(0x9e3779b1)) >> 25);
}

struct kh_folded {
	struct kh_view text;
	uint32_t *origin; /* of each byte in the source, and of the end; NULL where it was not asked for */
	size_t hidden;    /* invisible characters that went */
};

/* TEXT (any bytes) folded. */
enum kh_err kh_fold_text(struct kh_arena *arena, struct kh_view text, bool origin, struct kh_folded *ret) KH_CHECKED;

/* C folded, in lower case, as far as ROOM goes; how many bytes. */
size_t kh_fold_char(uint32_t c, char *out, size_t room);

/* How squeezing reads a byte; 0: it goes.  The signs @ $ ! | + between letters may be letters, too. */
extern const unsigned char kh_fold_plain[256], kh_fold_signs[256];

/* Whether byte AT of what is folded is a sign that stands for itself, not for a letter: it stands alone, or is an
 * exclamation mark at a word's end. */
bool kh_fold_is_sign(struct kh_view folded, size_t at);

/* The most that kh_fold_squeeze() writes for N bytes. */
static inline size_t kh_fold_room(size_t n)
{
	return n + 8;
}

/* Squeezes N folded bytes at P, of any case, into OUT; how many were kept. */
size_t kh_fold_squeeze(const unsigned char map[256], const char *p, size_t n, char *out);

#endif
