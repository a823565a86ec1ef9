/*
 * The attribution guard (E10): external content must not pass for internal knowledge.  If an output repeats an external
 * source, by K7's comparison, it must name that source; otherwise it is flagged.
 */
#ifndef KH_CORE_COMM_GUARD_H
#define KH_CORE_COMM_GUARD_H

#include "core/comm/attribution.h"

/* External content that the author of an output has received. */
struct kh_guard_source {
	const struct kh_attribution *attribution;
	struct kh_view content;
	const struct kh_attribution *whole; /* what it is a part of, which may be named in its place; NULL: nothing */
};

/* What the author of an output has received. */
struct kh_guard_given {
	const struct kh_guard_source *sources;
	size_t count;
	const struct kh_view *others; /* untrusted text without a source that could be named */
	size_t other_count;
	const struct kh_view *own; /* the user's words, which may be repeated */
	size_t own_count;
};

/*
 * Compares OUTPUT (valid UTF-8) with everything in GIVEN and adds a reason `unattributed` to FLAGS, member
 * "sources[i]", for each source that it repeats and does not name.  RET_PLACES, with room for the sources, gets the i
 * of each flag.  RET_COPIES: it repeats untrusted text, named or not, so it is no instruction (K9).  Fails only for
 * lack of memory or over the comparison's limits.
 */
enum kh_err kh_guard_output(struct kh_arena *arena, struct kh_view output, const struct kh_guard_given *given,
			    struct kh_reasons *flags, size_t *ret_places, bool *ret_copies) KH_CHECKED;

/*
 * Whether OUTPUT names the source of ATTRIBUTION: its whole text, or the host if an operation brought it from a URL. A part of a longer word
 * or host does not count: "example.com" is not named by "notexample.com" or "example.com.evil.example".
 */
enum kh_err kh_guard_names(struct kh_arena *arena, struct kh_view output, const struct kh_attribution *attribution,
			   bool *ret_yes) KH_CHECKED;

#endif
