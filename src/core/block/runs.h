/*
 * Which runs of some texts stand in others: an index of the texts' windows, and sources gone over once.
 *
 * Texts and sources are compared squeezed (fold.h): letters and digits alone, so that case, spacing, punctuation,
 * look-alikes, accents, invisible characters and leet make no difference.  A window is KH_RUNS_WINDOW characters. Equal
 * means equal bytes; hashing only finds candidates.
 */
#ifndef KH_CORE_BLOCK_RUNS_H
#define KH_CORE_BLOCK_RUNS_H

#include "base/arena.h"

#define KH_RUNS_WINDOW 10

struct kh_runs {
	const char *bytes;   /* of all streams, a zero after each */
	size_t n;            /* of them */
	unsigned char *hits; /* of each byte: 1 where it was found */
	size_t first, last;  /* all hits are in [first, last) */
	/* of runs.c */
	uint64_t *filter;
	unsigned filter_bits, table_bits;
	uint32_t *table; /* of each window the last position, plus 1, by hash */
	uint32_t *next;  /* of each position, another one of the same window, plus 1 */
	uint32_t *found; /* of each place in the table, the round in which it was found last */
	uint32_t round;
	uint64_t seed;
	char *squeezed; /* one chunk of a source */
};

/* An index of BYTES: squeezed streams, a zero after each, which no window holds. */
enum kh_err kh_runs_init(struct kh_runs *runs, struct kh_arena *arena, struct kh_view bytes) KH_CHECKED;

/* Goes over FOLDED (fold.h; the case of letters does not matter) and marks what it shares in `hits`. */
void kh_runs_scan(struct kh_runs *runs, struct kh_view folded);

/* Forgets the hits. */
void kh_runs_clear(struct kh_runs *runs);

#endif
