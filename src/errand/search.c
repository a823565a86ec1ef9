/*
 * comm.search {query, scope, limit} (E9): `internal` searches the index of the configured folders (filesearch.h), `web`
 * asks a search engine (websearch.h), `database` searches configured tables (tablesearch.h).  A call that names no
 * scope is for the web, as the gates assume too (core/policy/permit.c).
 *
 * The content is one JSON object, {"results":[...]}, with at most `limit` (10 if the call does not say) results, each
 * with its `rank` from 1 on, where it stands (`url`, `path`, or `database` and `table`) and the `time` of the search.
 *
 * This file decides which scope a call is for, and whether the configuration has it.
 */
#include "errand/errand.h"

#include "errand/filesearch.h"
#include "errand/tablesearch.h"
#include "errand/websearch.h"

#define LIMIT 10 /* results, if the call does not say */

enum kh_err kh_search_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			  struct kh_errand_result *result)
{
	const struct kh_config_search *search = &tools->config->search;
	const struct {
		struct kh_view scope, source;
		bool is_configured;
		const char *lacks;
		kh_search_fn *run;
	} scopes[] = {
		{KH_LIT("internal"), KH_LIT("search:internal"), search->folders.n > 0, "folders", kh_filesearch_run},
		{KH_LIT("database"), KH_LIT("search:database"), search->tables.n > 0, "tables", kh_tablesearch_run},
		{KH_LIT("web"), KH_LIT("search:web"), search->url.n > 0, "url", kh_websearch_run},
	};
	struct kh_view scope = kh_json_str(kh_json_get(errand->parameters, "scope"));
	struct kh_view query = kh_json_str(kh_json_get(errand->parameters, "query"));
	int64_t limit = LIMIT;
	size_t i = 0;

	while (i + 1 < sizeof(scopes) / sizeof(scopes[0]) && !kh_view_eq(scope, scopes[i].scope))
		i++;
	result->source = scopes[i].source;
	if (!scopes[i].is_configured) {
		result->why = kh_arena_printf(arena, "the configuration has no search.%s", scopes[i].lacks);
		return KH_OK;
	}
	(void)!kh_json_int(kh_json_get(errand->parameters, "limit"), &limit);
	return scopes[i].run(tools, errand, query, (uint64_t)limit, arena, result);
}
