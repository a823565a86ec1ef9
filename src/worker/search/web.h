/*
 * What a search engine answered (SearXNG's JSON, https://docs.searxng.org/dev/search_api.html), made into our own list.
 * Pure.
 */
#ifndef KH_WORKER_SEARCH_WEB_H
#define KH_WORKER_SEARCH_WEB_H

#include "base/json.h"

#define KH_SEARCH_WEB_TITLE   512 /* bytes of each at most; the rest is cut off */
#define KH_SEARCH_WEB_URL     2048
#define KH_SEARCH_WEB_SNIPPET 4096

/*
 * The first LIMIT results of BODY as an array of {"title", "url", "snippet", "rank"} in DOC; what has no http or https
 * URL is left out, and what is no text is empty.  KH_EINPUT `bad_answer` if BODY is no JSON, or has no results;
 * KH_ENOMEM.
 */
enum kh_err kh_search_web_read(struct kh_arena *arena, struct kh_view body, size_t limit, yyjson_mut_doc *doc,
			       yyjson_mut_val **ret_results, struct kh_error *err) KH_CHECKED;

#endif
