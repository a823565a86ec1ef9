/*
 * Fingerprints of content that is removed (K7, L5): what was in it can still be found in a call, and it cannot be read
 * out of them.
 *
 * Of every form of the content (forms.h), windows of KH_PRINTS_WINDOW letters and digits are hashed with a secret key,
 * and of every SPAN windows in a row the one with the least hash is kept (winnowing).  So every shared run of
 * KH_PRINTS_WINDOW + SPAN - 1 letters and digits has a window in both.  SPAN is 3, so that a run of 14 is surely found,
 * and more for content that would have over KH_PRINTS_MAX fingerprints: about 77 for 10 MB of plain text.  URLs, hosts,
 * addresses and numbers are hashed by their keys (anchor.h), all of them.  The fingerprints are sorted, so their order
 * tells nothing.
 */
#ifndef KH_CORE_BLOCK_PRINTS_H
#define KH_CORE_BLOCK_PRINTS_H

#include "core/block/anchor.h"
#include "core/block/runs.h"

#define KH_PRINTS_KEY    16
#define KH_PRINTS_WINDOW 12
#define KH_PRINTS_SIZE   6 /* bytes of one: a call is held by chance once in a hundred million */
#define KH_PRINTS_MAX    (1U << 18)

/* The fingerprints of CONTENT (any bytes), KH_PRINTS_SIZE bytes each, ascending. */
enum kh_err kh_prints_make(struct kh_arena *arena, const unsigned char key[KH_PRINTS_KEY], struct kh_view content,
			   struct kh_view *ret_prints) KH_CHECKED;

/* The windows of squeezed streams (runs.h), by their fingerprints. */
struct kh_prints {
	const unsigned char *key;
	struct kh_view bytes;
	struct kh_prints_window *at; /* ascending */
	size_t n;
};
enum kh_err kh_prints_index(struct kh_arena *arena, const unsigned char key[KH_PRINTS_KEY], struct kh_view bytes,
			    struct kh_prints *ret_index) KH_CHECKED;

/* Marks the windows of the index that are in PRINTS as hits of RUNS. */
void kh_prints_scan(const struct kh_prints *index, struct kh_view prints, struct kh_runs *runs);

/* Whether the anchor with this key is in PRINTS. */
bool kh_prints_has(const unsigned char key[KH_PRINTS_KEY], struct kh_view prints, enum kh_anchor_kind kind,
		   struct kh_view anchor);

#endif
