/*
 * What texts share with sources (K7, E10): runs of 12 or more normalised characters, URLs, hosts, e-mail addresses,
 * numbers of 6 digits or more.  Both sides are compared as a whole, and decoded as far as the screen's decoders can.
 * Linear in the sum of all sizes.  Matches are for the reviewer and are never shown to an agent.
 *
 * Case, spacing, punctuation, accents, look-alikes, invisible characters and leet make no difference.  A text is also
 * tried backwards and in rot13.  The texts of one comparison are also compared joined, in their order and in the
 * opposite one, so that something spread over several texts is found; pieces.h adds texts for what is spread over calls.
 *
 * A run counts if 12 of its characters (a blank between two words is one) are in words of which the larger part is
 * shared: "information of" and "documentation of" have "mentationof" in common by chance, not "ation of".  Words with
 * only a grammatical function make no run by themselves.  Text that is also in `own` does not count, and neither does a
 * short piece of one of `answers` (see struct kh_compare).
 */
#ifndef KH_CORE_BLOCK_COMPARE_H
#define KH_CORE_BLOCK_COMPARE_H

#include "base/arena.h"

#define KH_COMPARE_RUN    12 /* characters */
#define KH_COMPARE_MAX    16 /* most matches listed of one kind with one source */
#define KH_COMPARE_ANSWER 64 /* characters of an answer that may be repeated */

enum kh_match_kind { KH_MATCH_RUN, KH_MATCH_URL, KH_MATCH_HOST, KH_MATCH_ADDRESS, KH_MATCH_NUMBER, KH_MATCH_COUNT };

struct kh_match {
	enum kh_match_kind kind;
	size_t text, source;   /* which of the texts (the first that it touches), which of the sources */
	struct kh_view shared; /* as in the text, or in what the text decodes to */
	bool decoded;          /* one of both was encoded or reversed */
};

struct kh_matches {
	struct kh_match *at; /* by source, then by kind */
	size_t n, cap;
	size_t kinds[KH_MATCH_COUNT]; /* how many of each */
};

/* A text that was put together from a text of the comparison and what was sent before it (pieces.h). */
struct kh_compare_joined {
	struct kh_view text; /* folded */
	size_t from, to;     /* the present bytes: a match has at least one of them */
	size_t of;           /* which of the texts */
	bool coded;          /* it may be encoded */
	bool whole;          /* a match has all of them: many such texts are made, and one letter may fit by chance */
	bool anchors;        /* it may be an anchor, and is not compared otherwise; if not, it is none */
};

struct kh_compare {
	const struct kh_view *texts; /* the texts to compare; in their order also one text */
	size_t text_count;
	size_t apart; /* so many of them, at the end, are not joined with the others */
	const struct kh_compare_joined *joined;
	size_t joined_count;
	/* Of each source that was removed, its fingerprints (prints.h), and their key.  NULL: all sources are there. */
	const struct kh_view *prints;
	const unsigned char *key;
	/*
	 * Words that may be repeated.  Own: any part, and hosts, addresses and numbers in it.  Answers: pieces of up to
	 * KH_COMPARE_ANSWER characters, and sums of money, but no URL, host, address or other number.
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
