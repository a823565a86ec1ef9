/*
 * The results of a search, one by one (E10).  A search brings many sources in one block: each result is attributed to
 * its own page, file or table, at the time of the search, so that whoever repeats one can name where it stands.
 */
#ifndef KH_CORE_COMM_RESULTS_H
#define KH_CORE_COMM_RESULTS_H

#include "core/comm/attribution.h"

struct kh_results_part {
	struct kh_attribution
		attribution;    /* the search's, with the source of this result; its digests are the block's */
	struct kh_view content; /* the result, as JSON */
};

struct kh_results {
	struct kh_results_part *at;
	size_t n; /* 0: not the results of a search */
};

/*
 * Splits CONTENT, which ATTRIBUTION was proved for, into its results: {"results":[{...},...]} of comm.search.  The source
 * of each is its `url`, its `path`, or "DATABASE.TABLE"; the search's own if it has none that can be shown.  Anything
 * else is no result of a search.  Fails only for lack of memory.
 */
enum kh_err kh_results_split(struct kh_arena *arena, const struct kh_attribution *attribution, struct kh_view content,
			     struct kh_results *ret_results) KH_CHECKED;

#endif
