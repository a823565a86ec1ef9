/*
 * What two texts share (K7, E10): runs of 12 or more normalised characters, URLs, hosts, e-mail addresses, numbers of 6
 * digits or more.  Both sides are compared whole, and decoded as far as the screen's decoders go.  Linear in all texts
 * together but for a logarithm.  What matched is for the reviewer; it is never shown to an agent.
 */
#ifndef KH_CORE_BLOCK_COMPARE_H
#define KH_CORE_BLOCK_COMPARE_H

#include "core/screen/screen.h"

#define KH_COMPARE_RUN 12 /* characters */
#define KH_COMPARE_MAX 16 /* matches of one kind with one source that are listed */

enum kh_match_kind { KH_MATCH_RUN, KH_MATCH_URL, KH_MATCH_HOST, KH_MATCH_ADDRESS, KH_MATCH_NUMBER, KH_MATCH_COUNT };

/* A place in one of the forms of a text: form 0 is the text normalised, the others are what it decodes to. */
struct kh_span {
	size_t form;
	size_t start, end; /* bytes of that form */
};

struct kh_match {
	enum kh_match_kind kind;
	size_t text, source; /* which of the texts, which of the sources */
	struct kh_span in_text, in_source;
	struct kh_view shared; /* as it stands in the text's form */
};

struct kh_matches {
	struct kh_match *at; /* by source, then by kind */
	size_t n, cap;
	size_t kinds[KH_MATCH_COUNT]; /* how many of each */
};

/* "run", "url", "host", "address", "number". */
const char *kh_compare_kind(enum kh_match_kind kind);

/* Compares each of the TEXTS with each of the SOURCES. */
enum kh_err kh_compare_texts(struct kh_screen *screen, struct kh_arena *arena, const struct kh_view *texts,
			     size_t text_count, const struct kh_view *sources, size_t source_count,
			     struct kh_matches *ret_matches) __attribute__((warn_unused_result));

/* The same of one text. */
enum kh_err kh_compare_text(struct kh_screen *screen, struct kh_arena *arena, struct kh_view text,
			    const struct kh_view *sources, size_t source_count, struct kh_matches *ret_matches)
	__attribute__((warn_unused_result));

#endif
