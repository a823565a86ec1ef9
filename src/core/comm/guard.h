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
};

/*
 * Compares OUTPUT (valid UTF-8) with each of the sources and adds a reason `unattributed` to FLAGS, member
 * "sources[i]", for each that it repeats and does not name.  RET_PLACES, with room for COUNT, gets the i of each flag.
 * Text in OWN, the user's words, may be repeated.  Fails only for lack of memory or over the comparison's limits.
 */
enum kh_err kh_guard_output(struct kh_arena *arena, struct kh_view output, const struct kh_guard_source *sources,
			    size_t count, const struct kh_view *own, size_t own_count, struct kh_reasons *flags,
			    size_t *ret_places) KH_CHECKED;

/*
 * Whether OUTPUT names the source of ATTRIBUTION: its whole text, or the host if it is a URL. A part of a longer word
 * or host does not count: "example.com" is not named by "notexample.com" or "example.com.evil.example".
 */
enum kh_err kh_guard_names(struct kh_arena *arena, struct kh_view output, const struct kh_attribution *attribution,
			   bool *ret_yes) KH_CHECKED;

#endif
