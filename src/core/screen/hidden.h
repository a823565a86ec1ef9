/*
 * Finds and counts hidden characters (S2, B13): Unicode tags, variation selectors, zero-width characters used as bits,
 * bidi controls and runs of combining marks.  If they carry a text, it is decoded.
 */
#ifndef KH_CORE_SCREEN_HIDDEN_H
#define KH_CORE_SCREEN_HIDDEN_H

#include "core/screen/decode.h"
#include "core/screen/severity.h"

enum kh_hidden_kind {
	KH_HIDDEN_SOFT,     /* zero-width characters and soft hyphens */
	KH_HIDDEN_TAG,      /* U+E0000 to U+E007F */
	KH_HIDDEN_SELECTOR, /* variation selectors */
	KH_HIDDEN_OVERRIDE, /* bidi overrides */
	KH_HIDDEN_BIDI,     /* other bidi controls */
	KH_HIDDEN_OTHER,    /* controls, private use, fillers, unassigned */
	KH_HIDDEN_MARKS,    /* marks past the fourth in a row */
	KH_HIDDEN_INVALID,  /* bytes that are not UTF-8 */
	KH_HIDDEN_COUNT
};

struct kh_hidden {
	size_t count[KH_HIDDEN_COUNT];
	size_t first[KH_HIDDEN_COUNT], last[KH_HIDDEN_COUNT]; /* offsets of the first, and of the end of the last */
	size_t within; /* zero-width characters between two ASCII letters, which no script needs */
	size_t marks;  /* the longest run of marks */
};

/* Counts what is hidden in TEXT (any bytes) and calls FOUND for each text that it carries. */
void kh_hidden_scan(struct kh_arena *arena, struct kh_view text, kh_decode_found *found, void *ctx,
		    struct kh_hidden *ret);

typedef void kh_hidden_found(void *ctx, const char *code, enum kh_severity severity, size_t start, size_t end);

/* Judges what was counted.  A document may have a few honest ones; if STRICT, only one soft hyphen is. */
void kh_hidden_judge(const struct kh_hidden *hidden, bool strict, kh_hidden_found *found, void *ctx);

#endif
