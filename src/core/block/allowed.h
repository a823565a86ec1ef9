/*
 * What of a text may be repeated (compare.h): words of the user, the operator and Keyhole, and short pieces of answers
 * that a Reader gave.  Made when the first shared run or anchor is found, not before: most comparisons find none.
 */
#ifndef KH_CORE_BLOCK_ALLOWED_H
#define KH_CORE_BLOCK_ALLOWED_H

#include "core/block/stream.h"

enum { KH_ALLOWED_NOT, KH_ALLOWED_ANSWER, KH_ALLOWED_OWN };

struct kh_allowed {
	unsigned char *marks; /* of each byte of the streams, the above */
	/* of allowed.c */
	struct kh_view *anchors; /* of those: the kind as a letter, then the key; sorted */
	size_t anchor_count, anchor_cap;
	bool marked, listed;
};

/* Fills in the marks; does nothing where they are there.  A character is marked where eight in a row, it among them,
 * stand in what may be repeated. */
enum kh_err kh_allowed_make(struct kh_allowed *allowed, struct kh_arena *arena, const struct kh_compare *what,
			    const struct kh_streams *streams) KH_CHECKED;

/* Whether `own` names this URL, host, address or number, or an answer is this sum of money. */
enum kh_err kh_allowed_anchor(struct kh_allowed *allowed, struct kh_arena *arena, const struct kh_compare *what,
			      enum kh_match_kind kind, struct kh_view key, bool *ret_yes) KH_CHECKED;

/* True for a word, squeezed, that is only there for grammar. */
bool kh_allowed_grammar(struct kh_view word);

#endif
