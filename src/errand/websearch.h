/*
 * comm.search with the scope `web`: a SearXNG-compatible endpoint (E9), asked by GET with `q` and `format=json`.
 *
 * The content is {"results":[{"title","url","snippet","rank"}]}; the original is what the endpoint sent, which is
 * parsed in a sandbox of its own.
 */
#ifndef KH_ERRAND_WEBSEARCH_H
#define KH_ERRAND_WEBSEARCH_H

#include "errand/errand.h"

/* Carries ERRAND out.  Fails only for lack of memory. */
enum kh_err kh_websearch_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_view query,
			     uint64_t limit, struct kh_arena *arena, struct kh_errand_result *ret_result) KH_CHECKED;

#endif
