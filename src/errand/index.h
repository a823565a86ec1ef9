/*
 * Keeps the search index current (E9): bounded runs of the indexer, each in a sandbox that sees one folder, until all
 * folders of the configuration are done.
 *
 * A gateway does so by itself (gateway/indexing.h).  A search does so if the index is older than
 * `search.refresh_seconds`, so that older changes are found whoever asks.  One process at a time: another one gets
 * `busy`.
 */
#ifndef KH_ERRAND_INDEX_H
#define KH_ERRAND_INDEX_H

#include "errand/errand.h"

struct kh_index_refresh {
	uint64_t fresh_ms;             /* a folder whose last pass was this long ago or less is skipped */
	uint64_t wall_ms;              /* no run begins after that */
	bool rebuild;                  /* the index is damaged: make it anew */
	bool (*is_stopped)(void *ctx); /* asked before each run; NULL: never */
	void *ctx;
	/* out */
	bool current;                       /* the passes over all folders are complete */
	bool busy;                          /* another process is indexing */
	uint64_t indexed, removed, skipped; /* files */
	struct kh_view why;                 /* if a run failed: our own sentence; in the arena */
};

/* Runs the indexer.  Fails only for lack of memory. */
enum kh_err kh_index_refresh(const struct kh_errand_tools *tools, struct kh_arena *arena,
			     struct kh_index_refresh *refresh) KH_CHECKED;

/* The folder of the index, in the arena. */
struct kh_view kh_index_folder(const struct kh_errand_tools *tools, struct kh_arena *arena);

/* The configured folders as a JSON array of DOC. */
yyjson_mut_val *kh_index_folders(const struct kh_errand_tools *tools, yyjson_mut_doc *doc);

#endif
