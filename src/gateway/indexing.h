/*
 * The search index kept current, while a gateway runs (E9): at its start, and then so often that what changed in a
 * configured folder is found `search.refresh_seconds` later at the latest.  On a thread of its own: a pass over large
 * folders takes as long as it takes.
 */
#ifndef KH_GATEWAY_INDEXING_H
#define KH_GATEWAY_INDEXING_H

#include "engine/engine.h"

struct kh_indexing;

enum kh_err kh_indexing_new(struct kh_engine *engine, struct kh_indexing **ret_indexing,
			    struct kh_error *err) KH_CHECKED;

/* No further run is begun.  False where one still goes on after TIMEOUT_US. */
bool kh_indexing_stop(struct kh_indexing *indexing, int64_t timeout_us);

/* After kh_indexing_stop() has returned true.  NULL is fine. */
void kh_indexing_free(struct kh_indexing *indexing);

#endif
