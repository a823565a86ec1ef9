/*
 * What texts share with sources (K7, E10): runs of 12 or more normalised characters, URLs, hosts, e-mail addresses,
 * numbers of 6 digits or more.  Both sides are compared whole, and decoded as far as the screen's decoders go.  Linear
 * in all of them together.  What matched is for the reviewer; it is never shown to an agent.
 *
 * Case, spacing, punctuation, accents, look-alikes, invisible characters and leet make no difference.  A text is also
 * tried backwards and by rot13.  The texts of one comparison are also one text, in their order and in the opposite
 * one: what is spread over them is found.
 *
 * A run counts where 12 of its characters, a blank between two words being one, are in words of which the larger part
 * is shared: "information of" and "documentation of" have "mentationof" in common by chance, not "ation of".  Words
 * that are only there for grammar make no run by themselves.  What stands in `own` too does not count, and neither does
 * a short piece of one of `answers` (see kh_compare_own).
 */
#ifndef KH_CORE_BLOCK_COMPARE_H
#define KH_CORE_BLOCK_COMPARE_H

#include "base/arena.h"

#define KH_COMPARE_RUN    12 /* characters */
#define KH_COMPARE_MAX    16 /* matches of one kind with one source that are listed */
#define KH_COMPARE_ANSWER 64 /* characters of an answer that may be repeated */

enum kh_match_kind { KH_MATCH_RUN, KH_MATCH_URL, KH_MATCH_HOST, KH_MATCH_ADDRESS, KH_MATCH_NUMBER, KH_MATCH_COUNT };

struct kh_match {
	enum kh_match_kind kind;
	size_t text, source;   /* which of the texts (the first that it touches), which of the sources */
	struct kh_view shared; /* as it stands in the text, or in what the text decodes to */
	bool decoded;          /* one of both was encoded, or turned round */
};

struct kh_matches {
	struct kh_match *at; /* by source, then by kind */
	size_t n, cap;
	size_t kinds[KH_MATCH_COUNT]; /* how many of each */
};

struct kh_compare {
	const struct kh_view *texts; /* at least those that are to be compared; in order, one text */
	size_t text_count;
	size_t apart;           /* so many of them, at the end, are each a text of their own */
	struct kh_view earlier; /* what came before the texts, one piece a line: what lies in it alone is no match */
	/*
	 * Words that may be repeated.  Own: whatever of it, and hosts, addresses and numbers that it names.  Answers:
	 * pieces of up to KH_COMPARE_ANSWER characters of them, and sums of money, but no URL, host, address or other
	 * number.
	 */
	const struct kh_view *own, *answers;
	size_t own_count, answer_count;
};

/* "run", "url", "host", "address", "number". */
const char *kh_compare_kind(enum kh_match_kind kind);

/* Compares the texts of WHAT with each of the SOURCES. */
enum kh_err kh_compare_texts(struct kh_arena *arena, const struct kh_compare *what, const struct kh_view *sources,
			     size_t source_count, struct kh_matches *ret_matches) KH_CHECKED;

#endif
