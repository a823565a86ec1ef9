/*
 * The forms of a text for comparing (K7, E10): itself, and everything that is encoded in it, nested up to
 * KH_SCREEN_DEPTH deep, at any place.  Nothing is judged here; everything that decodes to text is a form.
 *
 * After the first of them, short decoded texts are put together, a line each.
 *
 * A prescan (prescan.h) finds the places that may be encoded, so plain text costs only the prescan.  The work is
 * linear: all forms together have at most KH_FORMS_BUDGET bytes for each byte of the text.
 */
#ifndef KH_CORE_SCREEN_FORMS_H
#define KH_CORE_SCREEN_FORMS_H

#include "base/arena.h"

#define KH_FORMS_BUDGET 4

/*
 * One form.  TEXT is as it was decoded; FOLDED is the same folded (fold.h), or TEXT itself if folding would change only
 * case.
 */
struct kh_forms_form {
	struct kh_view text, folded;
	size_t depth; /* number of encodings undone; 0: the text itself, which comes first */
};

typedef enum kh_err kh_forms_fn(void *ctx, const struct kh_forms_form *form);

/* Calls FN for each form of TEXT (any bytes), and stops if FN fails.  Decoded text lives in the arena. */
enum kh_err kh_forms_each(struct kh_arena *arena, struct kh_view text, kh_forms_fn *fn, void *ctx) KH_CHECKED;

#endif
