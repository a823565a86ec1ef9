/*
 * comm.search {query, scope, limit} (E9): `internal` searches the index of the configured folders (filesearch.h), `web`
 * asks a search engine (websearch.h), `database` searches configured tables (tablesearch.h).  A call that names no
 * scope is for the web, as the gates assume too (core/policy/permit.c).
 *
 * The content is one JSON object, {"results":[...]}, with at most `limit` (10 if the call does not say) results, each
 * with its `rank` from 1 on.
 *
 * This file decides which scope a call is for, and whether the configuration has it.
 */
#include "errand/errand.h"

#include "errand/filesearch.h"
#include "errand/tablesearch.h"
#include "errand/websearch.h"

#define LIMIT 10 /* results, if the call does not say */

enum kh_err kh_search_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			  struct kh_errand_result *ret_result)
{
	const struct kh_config_search *search = &tools->config->search;
	struct kh_view query = kh_json_str(kh_json_get(errand->parameters, "query"));
	struct kh_view scope = kh_json_str(kh_json_get(errand->parameters, "scope"));
	struct kh_errand_result result = {.end = KH_ERRAND_FAILED, .source = KH_LIT("search:web")};
	enum kh_err e = KH_OK;
	int64_t limit = LIMIT;

	(void)!kh_json_int(kh_json_get(errand->parameters, "limit"), &limit);
	if (kh_view_eq(scope, KH_LIT("internal"))) {
		result.source = KH_LIT("search:internal");
		if (search->folders.n == 0)
			result.why = KH_LIT("the configuration has no search.folders");
		else
			e = kh_filesearch_run(tools, errand, query, (uint64_t)limit, arena, &result);
	} else if (kh_view_eq(scope, KH_LIT("database"))) {
		result.source = KH_LIT("search:database");
		if (search->tables.n == 0)
			result.why = KH_LIT("the configuration has no search.tables");
		else
			e = kh_tablesearch_run(tools, errand, query, (uint64_t)limit, arena, &result);
	} else if (search->url.n == 0) {
		result.why = KH_LIT("the configuration has no search.url");
	} else {
		e = kh_websearch_run(tools, errand, query, (uint64_t)limit, arena, &result);
	}
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e == KH_OK)
		*ret_result = result;
	return e;
}
