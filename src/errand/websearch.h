/*
 * comm.search with the scope `web`: a SearXNG-compatible endpoint (E9), asked by GET with `q` and `format=json`.
 *
 * The content is {"results":[{"title","url","snippet","rank"}]}; the original is what the endpoint sent, which is
 * parsed in a sandbox of its own.
 */
#ifndef KH_ERRAND_WEBSEARCH_H
#define KH_ERRAND_WEBSEARCH_H

#include "errand/errand.h"

kh_search_fn kh_websearch_run;

#endif
