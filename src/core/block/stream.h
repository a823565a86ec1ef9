/*
 * The ways in which texts are read for a comparison (compare.h).
 *
 * A reading is a text to read: all texts one after the other, the same behind what came earlier, each that stands
 * apart, and everything that is encoded in one of them or in several joined.  What is in several is found in the first
 * of these: what the texts say by themselves does not hang on what came earlier.  A stream is a reading squeezed
 * (fold.h), plainly or by rot13, backwards, upside down, with signs read as letters, in the opposite order; it knows
 * where each of its characters came from.
 */
#ifndef KH_CORE_BLOCK_STREAM_H
#define KH_CORE_BLOCK_STREAM_H

#include "core/block/compare.h"

struct kh_reading {
	struct kh_view of;      /* what is read */
	struct kh_view folded;  /* the same folded */
	const uint32_t *origin; /* of each byte of that in `of` */
	size_t text;            /* which of the texts; SIZE_MAX: all of them joined, a blank between */
	size_t present;         /* of those: what came earlier stands before this */
	bool decoded;
};

struct kh_stream {
	size_t at, n; /* its bytes among all */
	const struct kh_reading *of;
	bool turned; /* by rot13 or backwards */
};

struct kh_streams {
	struct kh_view bytes;   /* of all streams, a zero after each */
	const uint32_t *origin; /* of each byte: where the character stands in what is read */
	const bool *begins;     /* of each byte: a word begins here */
	struct kh_stream *at;
	size_t n;
	struct kh_reading **readings;
	size_t reading_count;
	size_t *starts; /* where each of the texts begins in what is joined, from `present` on */
};

enum kh_err kh_stream_make(struct kh_arena *arena, const struct kh_compare *what, struct kh_streams *ret) KH_CHECKED;

/* The stream that byte AT is in. */
const struct kh_stream *kh_stream_find(const struct kh_streams *set, size_t at);

/* Which of the texts offset FROM of READING is in; the first where it is before all of them. */
size_t kh_stream_text(const struct kh_streams *set, const struct kh_compare *what, const struct kh_reading *reading,
		      size_t from);

#endif
