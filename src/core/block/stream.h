/*
 * The ways in which texts are read for a comparison (compare.h).
 *
 * A reading is a text to read: all texts joined, each text that is kept apart, everything that is encoded in one of
 * them or in several joined, and the texts that were put together from several calls (pieces.h).  A match in several
 * readings is attributed to the first of them, so that a match in the texts themselves does not depend on earlier calls.
 * A stream is a reading
 * squeezed (fold.h): plainly, in rot13, backwards, upside down, with signs read as letters, or in the opposite order.
 * It keeps the origin of each of its characters.
 */
#ifndef KH_CORE_BLOCK_STREAM_H
#define KH_CORE_BLOCK_STREAM_H

#include "core/block/compare.h"

struct kh_reading {
	struct kh_view of;      /* the text that is read */
	struct kh_view folded;  /* the same folded */
	const uint32_t *origin; /* for each byte of `folded`, its offset in `of` */
	size_t text;            /* which of the texts; SIZE_MAX: all of them joined, a blank between */
	size_t from, to;        /* the present bytes of `of` */
	bool decoded;
	bool joined;  /* put together from several calls */
	bool whole;   /* a match has all present bytes */
	bool made;    /* of what was taken apart (mixed.h): it repeats what other readings have */
	bool anchors; /* hosts, addresses and numbers in it count */
};

struct kh_stream {
	size_t at, n; /* its bytes in kh_streams.bytes */
	const struct kh_reading *of;
	bool turned; /* by rot13 or backwards */
};

struct kh_streams {
	struct kh_view bytes;   /* of all streams, a zero after each */
	const uint32_t *origin; /* for each byte: offset of its character in the reading */
	const bool *begins;     /* for each byte: a word begins here */
	struct kh_stream *at;
	size_t n;
	struct kh_reading **readings;
	size_t reading_count;
	size_t *starts; /* offset of each text in the joined reading */
};

enum kh_err kh_stream_make(struct kh_arena *arena, const struct kh_compare *what, struct kh_streams *ret) KH_CHECKED;

/* Of N offsets in ascending order, STRIDE bytes apart, the last that is at most AT; 0 if there is none. */
size_t kh_stream_last(const size_t *first, size_t stride, size_t n, size_t at);

/* The stream that byte AT is in. */
const struct kh_stream *kh_stream_find(const struct kh_streams *set, size_t at);

/* The index of the text that offset FROM of READING is in; the first if FROM is before all of them. */
size_t kh_stream_text(const struct kh_streams *set, const struct kh_compare *what, const struct kh_reading *reading,
		      size_t from);

#endif
