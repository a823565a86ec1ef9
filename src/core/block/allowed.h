/*
 * The parts of a text that may be repeated (compare.h): words of the user, the operator and Keyhole, and short pieces
 * of a Reader's answers.  Computed only when the first shared run or anchor is found, because most comparisons find
 * none.
 */
#ifndef KH_CORE_BLOCK_ALLOWED_H
#define KH_CORE_BLOCK_ALLOWED_H

#include "core/block/stream.h"

enum { KH_ALLOWED_NOT, KH_ALLOWED_ANSWER, KH_ALLOWED_OWN };

struct kh_allowed {
	unsigned char *marks; /* for each byte of the streams, one of the above */
	/* private to allowed.c */
	struct kh_view *anchors; /* of the allowed texts: the kind as a letter, then the key; sorted */
	size_t anchor_count, anchor_cap;
	bool marked, listed;
};

/*
 * Fills in the marks, unless that was done before.  A character is marked if it is in a run of eight characters that
 * also occurs in a text that may be repeated.
 */
enum kh_err kh_allowed_make(struct kh_allowed *allowed, struct kh_arena *arena, const struct kh_compare *what,
			    const struct kh_streams *streams) KH_CHECKED;

/* Whether `own` names this URL, host, address or number, or an answer is this sum of money. */
enum kh_err kh_allowed_anchor(struct kh_allowed *allowed, struct kh_arena *arena, const struct kh_compare *what,
			      enum kh_match_kind kind, struct kh_view key, bool *ret_yes) KH_CHECKED;

/* True for a squeezed word that has only a grammatical function. */
bool kh_allowed_grammar(struct kh_view word);

#endif
