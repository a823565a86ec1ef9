/*
 * Secrets that were given to a server, found again in what it writes, and made unreadable there (U1).  A server that
 * wants to tell them can write them in another form; this is for those that put them into a message of an error.
 */
#ifndef KH_EXECUTOR_VEIL_H
#define KH_EXECUTOR_VEIL_H

#include "base/cover.h"

#define KH_VEIL_LONGEST 256 /* bytes of a secret that are looked for */
#define KH_VEIL_LEAST   8   /* a shorter one is not: it would be found everywhere */
#define KH_VEIL_FORMS   (2 * 16)
#define KH_VEIL_ROOM    (KH_VEIL_FORMS * (KH_VEIL_LONGEST + 1))

/* The secrets, each as it is and as JSON writes it, and each ended by a NUL. */
struct kh_veil {
	size_t n;
	char text[KH_VEIL_ROOM];
};

/* Adds SECRET; at most 16 fit, whatever they are. */
void kh_veil_add(struct kh_veil *veil, struct kh_view secret);

/* Overwrites every secret in BYTES.  What follows the part of a long one that is looked for is overwritten, too, up to a
 * blank, a quotation mark or a control character. */
void kh_veil_bytes(const struct kh_veil *veil, char *bytes, size_t n);

/* The same for text that was cut out of more, and is no JSON itself: what may be the beginning of a secret at the end,
 * or the end of one at the beginning, is overwritten, too, and so is a secret as JSON or a URL spells it (spelled.h).
 * ROOM is for N bytes. */
void kh_veil_text(const struct kh_veil *veil, char *bytes, size_t n, char *room);

/* The same for a reason, in which a text may have been cut and quoted twice: the first KH_VEIL_LEAST bytes of a secret
 * are enough. */
void kh_veil_reason(const struct kh_veil *veil, char *bytes, size_t n, char *room);

/*
 * The same for a piece of a stream of JSON, which begins with what was left of the piece before; STATE begins as zeros.
 * Returns how many bytes can be passed on: what may be the beginning of a secret is left, except at the end.
 */
size_t kh_veil_lines(const struct kh_veil *veil, struct kh_cover_state *state, bool is_end, char *bytes, size_t n);

/* How many bytes at the end of BYTES may be the beginning of a secret; less than KH_VEIL_LONGEST. */
size_t kh_veil_tail(const struct kh_veil *veil, const char *bytes, size_t n);

/* Overwrites what may be the end of a secret at the beginning of BYTES, and the beginning of one at their end, if it is
 * as long as one that is looked for: for a piece that was cut out of more. */
void kh_veil_edges(const struct kh_veil *veil, char *bytes, size_t n);

#endif
