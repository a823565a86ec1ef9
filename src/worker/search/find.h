/*
 * A search in the index: words in, files out, the best first, each with a snippet of its text.
 */
#ifndef KH_WORKER_SEARCH_FIND_H
#define KH_WORKER_SEARCH_FIND_H

#include "base/json.h"

#define KH_SEARCH_FIND_NOT_INDEXED 1000

struct kh_search_find {
	const char *index; /* the folder of the index */
	struct kh_view query;
	size_t limit;                  /* most results */
	const struct kh_view *folders; /* only files below one of these */
	size_t folder_count;
	const struct kh_view *within; /* and below one of these, if there are any */
	size_t within_count;
	uint64_t ms; /* time limit */
};

struct kh_search_find_report {
	bool any;           /* no file has all of the words; these have some of them */
	bool cut;           /* there were too many matches for the time: these are the best of some of them */
	bool more;          /* there are more than LIMIT */
	size_t left_out;    /* words of the query that were ignored */
	int64_t current_ms; /* as in worker/search/index.h; 0: no pass over all folders was finished yet */
	/* Files that the search is over and that have no text in the index: pictures, long ones, text in an encoding
	   that is not recognized.  No more than KH_SEARCH_FIND_NOT_INDEXED are counted. */
	uint64_t not_indexed;
};

/*
 * Runs QUERY.  *RET_RESULTS is an array of {"path", "title", "snippet", "rank"} in DOC, rank from 1 on.  KH_EREFUSED as
 * kh_search_store_read(); KH_ELIMIT `too_long`; KH_ENOMEM.
 */
enum kh_err kh_search_find_run(struct kh_arena *arena, const struct kh_search_find *find, yyjson_mut_doc *doc,
			       yyjson_mut_val **ret_results, struct kh_search_find_report *ret_report,
			       struct kh_error *err) KH_CHECKED;

#endif
