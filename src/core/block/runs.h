/*
 * Finds runs of some texts in others: the texts' windows go into an index, and each source is scanned once.
 *
 * Texts and sources are compared squeezed (fold.h): letters and digits only, so that case, spacing, punctuation,
 * look-alikes, accents, invisible characters and leet make no difference.  A window is KH_RUNS_WINDOW characters.
 * Equal means equal bytes; hashing only finds candidates.
 */
#ifndef KH_CORE_BLOCK_RUNS_H
#define KH_CORE_BLOCK_RUNS_H

#include "base/arena.h"

#define KH_RUNS_WINDOW 10

struct kh_runs {
	const char *bytes;   /* of all streams, a zero after each */
	size_t n;            /* number of bytes */
	unsigned char *hits; /* for each byte: 1 if it was found */
	size_t first, last;  /* all hits are in [first, last) */
	/* private to runs.c */
	uint64_t *filter;
	unsigned filter_bits, table_bits;
	uint32_t *table; /* for each window its last position, plus 1, by hash */
	uint32_t *next;  /* for each position, another one of the same window, plus 1 */
	uint32_t *found; /* for each slot of the table, the round in which it was last found */
	uint32_t round;
	uint64_t seed;
	char *squeezed; /* one chunk of a source */
};

/* Makes an index of BYTES: squeezed streams with a zero after each; no window contains the zero. */
enum kh_err kh_runs_init(struct kh_runs *runs, struct kh_arena *arena, struct kh_view bytes) KH_CHECKED;

/* Scans FOLDED (fold.h; case is ignored) and marks what it shares in `hits`. */
void kh_runs_scan(struct kh_runs *runs, struct kh_view folded);

/* Marks N bytes from AT on as hits. */
void kh_runs_mark(struct kh_runs *runs, size_t at, size_t n);

/* Clears the hits. */
void kh_runs_clear(struct kh_runs *runs);

#endif
