/*
 * Keeps the search index current while a gateway runs (E9): at its start, and then often enough that a change in a
 * configured folder is found at most `search.refresh_seconds` later.  It has a thread of its own, because a pass over
 * large folders may take long.
 */
#ifndef KH_GATEWAY_INDEXING_H
#define KH_GATEWAY_INDEXING_H

#include "engine/engine.h"

struct kh_indexing;

enum kh_err kh_indexing_new(struct kh_engine *engine, struct kh_indexing **ret_indexing,
			    struct kh_error *err) KH_CHECKED;

/* Starts no further run.  False if one still runs after TIMEOUT_US. */
bool kh_indexing_stop(struct kh_indexing *indexing, int64_t timeout_us);

/* After kh_indexing_stop() has returned true.  INDEXING may be NULL. */
void kh_indexing_free(struct kh_indexing *indexing);

#endif
