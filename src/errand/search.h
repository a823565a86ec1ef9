/*
 * comm.search {query, scope, limit} (E9): `internal` looks into the index of the configured folders (filesearch.h),
 * `web` asks a search engine (websearch.h), `database` looks through configured tables (tablesearch.h).  A call that
 * names no scope is for the web, as the gates have it too (core/policy/permit.c).
 *
 * The content is one JSON object, {"results":[...]}, at most `limit` (10 where the call does not say) results, each
 * with its `rank` from 1 on.
 */
#ifndef KH_ERRAND_SEARCH_H
#define KH_ERRAND_SEARCH_H

#include "errand/errand.h"

#endif
