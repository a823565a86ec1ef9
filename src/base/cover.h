/*
 * Makes texts unreadable wherever they stand in bytes: secrets that somebody repeats.  Each byte of a text becomes a
 * star.  In JSON, a text that could be part of a number becomes a number, so that what is JSON stays JSON.
 */
#ifndef KH_BASE_COVER_H
#define KH_BASE_COVER_H

#include "base/view.h"

#define KH_COVER_LONG  248      /* bytes: a text that is so long is taken for the beginning of a longer one */
#define KH_COVER_WHOLE SIZE_MAX /* see `least` */

struct kh_cover {
	const struct kh_view *texts;
	size_t count;
	size_t least; /* so many first bytes of a text are enough to be overwritten: for a text that may have been cut */
	bool is_json;
};

/* Where it stands between two pieces of a stream; begins as zeros. */
struct kh_cover_state {
	size_t covered; /* so many bytes at the beginning of the next piece belong to a text */
	bool is_long;   /* and what follows them does, up to a blank, a quotation mark or a control character */
	char sign;
};

/*
 * Looks at the N bytes at P, and overwrites what there is to overwrite among the first OUT of them.  The rest is to be
 * the beginning of the next piece.  Texts that overlap are overwritten together.
 */
void kh_cover_bytes(const struct kh_cover *cover, struct kh_cover_state *state, char *p, size_t n, size_t out);

#endif
