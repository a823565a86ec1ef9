/*
 * One run of the indexer over one folder: files that changed since the last pass are put into the index, and files that
 * are gone are removed.  A run is bounded; a pass that takes longer continues in the next run where it stopped.
 *
 * A file is identified by device, inode, size and its two times.  If they are the same as before, it is not opened.  A
 * file that was changed just before it was read is read again in the next pass, because its times may be too coarse to
 * show a second change.
 */
#ifndef KH_WORKER_SEARCH_INDEX_H
#define KH_WORKER_SEARCH_INDEX_H

#include "base/error.h"
#include "worker/text/parser.h"

#define KH_SEARCH_INDEX_FILE (8U << 20) /* a longer file is not indexed */

struct kh_search_index_job {
	const char *index;  /* the folder of the index */
	const char *folder; /* the folder that this run walks; one of FOLDERS */
	const struct kh_view *folders;
	size_t count;                  /* of all folders that are indexed; files of others are removed */
	uint64_t ms;                   /* time limit, approximate */
	uint64_t fresh_ms;             /* if the last pass is less old than this, nothing is done; 0: it is done */
	bool rebuild;                  /* start with an empty index */
	const struct kh_parser *gumbo; /* for HTML pages; NULL: they are indexed as they are */
};

struct kh_search_index_report {
	bool busy;                                     /* another process is indexing: nothing was done */
	bool fresh;                                    /* the last pass was recent enough: nothing was done */
	bool finished;                                 /* the pass over this folder is complete */
	bool missing;                                  /* the folder does not exist, so it counts as empty */
	uint64_t indexed, removed, skipped, unchanged; /* files, in this run */
	uint64_t unread;                               /* folders below it that could not be read */
	int64_t current_ms; /* changes before this time (wall clock) are in the index; 0: no pass is finished */
};

/*
 * Does the run.  KH_EREFUSED: `folder_unread` if the folder cannot be read, `index_failed` if the index cannot be
 * written; KH_ENOMEM.  If the index turns out to be damaged, it is made anew within the same run.
 */
enum kh_err kh_search_index_run(const struct kh_alloc *alloc, const struct kh_search_index_job *job,
				struct kh_search_index_report *ret_report, struct kh_error *err) KH_CHECKED;

#endif
