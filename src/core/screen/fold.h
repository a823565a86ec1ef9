/*
 * Reduces text to what matters for comparing (K7), fast: one byte for each character.
 *
 * Folded text: accents and invisible characters are removed; look-alikes become the ASCII that they look like; any
 * other letter becomes one of 128 bytes above 127; white space and other signs stay if ASCII, else become a blank.  The
 * case of ASCII stays, because encoded text depends on it.  Squeezed text: only the letters and digits of folded text,
 * in lower case, with digits that are used for letters as those letters.  Different letters may become the same byte;
 * different runs of twelve become equal only by design.
 */
#ifndef KH_CORE_SCREEN_FOLD_H
#define KH_CORE_SCREEN_FOLD_H

#include "base/arena.h"

/* Values in the table of characters that are not a byte of ASCII: */
enum {
	KH_FOLD_NOTHING = 0, /* it is removed */
	KH_FOLD_ITSELF = 1,  /* it becomes kh_fold_letter() of it */
	KH_FOLD_MARK = 2,    /* the same, but after ASCII it is removed */
	KH_FOLD_HIDDEN = 3,  /* it is removed; it was invisible */
	KH_FOLD_EXPANDED = 256,
};

/* The byte for a letter without an ASCII form. */
static inline unsigned char kh_fold_letter(uint32_t c)
{
	return (unsigned char)(0x80 | (c * UINT32_C(0x9e3779b1)) >> 25);
}

struct kh_folded {
	struct kh_view text;
	uint32_t *origin;      /* offset of each byte in the source, and of the end; NULL if not asked for */
	size_t hidden;         /* invisible characters that were removed */
	struct kh_view unseen; /* all invisible ones, in their order: these, and unassigned ones, which stay */
};

/* TEXT (any bytes) folded. */
enum kh_err kh_fold_text(struct kh_arena *arena, struct kh_view text, bool origin, struct kh_folded *ret) KH_CHECKED;

/* Writes C folded, in lower case, at most ROOM bytes; returns how many. */
size_t kh_fold_char(uint32_t c, char *out, size_t room);

/*
 * How squeezing maps a byte; 0: it is removed. kh_fold_signs also reads the signs @ $ ! | + between letters as letters.
 */
extern const unsigned char kh_fold_plain[256], kh_fold_signs[256];

/*
 * Whether byte AT of FOLDED is used as a sign and not as a letter: it is not beside a letter, or is an exclamation mark
 * at the end of a word.
 */
bool kh_fold_is_sign(struct kh_view folded, size_t at);

/* The most that kh_fold_squeeze() writes for N bytes. */
static inline size_t kh_fold_room(size_t n)
{
	return n + 8;
}

/* Squeezes N folded bytes at P, of any case, into OUT; returns how many were kept. */
size_t kh_fold_squeeze(const unsigned char map[256], const char *p, size_t n, char *out);

#endif
