/*
 * One run of the indexer over one folder: what has changed since the last pass is put into the index, what is gone is
 * taken out.  A run is bounded; a pass that takes longer goes on in the next run, where it stopped.
 *
 * A file is known by device, inode, size and its two times: where those are as they were, it is not opened.  One that
 * was changed just before it was read is read again in the next pass, because its times may be too coarse to tell.
 */
#ifndef KH_WORKER_SEARCH_INDEX_H
#define KH_WORKER_SEARCH_INDEX_H

#include "base/error.h"
#include "worker/text/parser.h"

#define KH_SEARCH_INDEX_FILE (8U << 20) /* a longer file is not indexed */

struct kh_search_index_job {
	const char *index;  /* the folder of the index */
	const char *folder; /* that this run looks through; one of FOLDERS */
	const struct kh_view *folders;
	size_t count;                  /* of all folders that are indexed: what the index has of others goes */
	uint64_t ms;                   /* that it may take, about */
	uint64_t fresh_ms;             /* a pass that was finished so long ago, or less, is enough: nothing is done */
	bool rebuild;                  /* begin anew */
	const struct kh_parser *gumbo; /* for pages; NULL: they are indexed as they are */
};

struct kh_search_index_report {
	bool busy;                                     /* another process is at it: nothing was done */
	bool fresh;                                    /* it was fresh enough: nothing was done */
	bool finished;                                 /* the pass over this folder came to its end */
	bool missing;                                  /* the folder is not there, so it counts as empty */
	uint64_t indexed, removed, skipped, unchanged; /* files, in this run */
	uint64_t unread;                               /* folders below it that could not be read */
	int64_t current_ms; /* what changed before that time (of the clock on the wall) is in the index; 0: no pass was
			       finished yet */
};

/*
 * Does the run.  KH_EREFUSED: `folder_unread` if the folder cannot be read, `index_failed` if the index cannot
 * be written; KH_ENOMEM.  An index that turns out to be damaged is begun anew, within the same run.
 */
enum kh_err kh_search_index_run(const struct kh_alloc *alloc, const struct kh_search_index_job *job,
				struct kh_search_index_report *ret_report, struct kh_error *err) KH_CHECKED;

#endif
