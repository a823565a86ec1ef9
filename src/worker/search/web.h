/*
 * Converts the answer of a search engine (SearXNG's JSON, https://docs.searxng.org/dev/search_api.html) to our own
 * list.  Pure.
 */
#ifndef KH_WORKER_SEARCH_WEB_H
#define KH_WORKER_SEARCH_WEB_H

#include "base/json.h"

#define KH_SEARCH_WEB_TITLE   512 /* most bytes of each; the rest is cut off */
#define KH_SEARCH_WEB_URL     2048
#define KH_SEARCH_WEB_SNIPPET 4096

/*
 * The first LIMIT results of BODY as an array of {"title", "url", "snippet", "rank"} in DOC.  A result without an http
 * or https URL is skipped, and a member that is not text becomes empty.  KH_EINPUT `bad_answer` if BODY is not JSON or
 * has no results; KH_ENOMEM.
 */
enum kh_err kh_search_web_read(struct kh_arena *arena, struct kh_view body, size_t limit, yyjson_mut_doc *doc,
			       yyjson_mut_val **ret_results, struct kh_error *err) KH_CHECKED;

#endif
