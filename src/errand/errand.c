/*
 * The table of operations that can be carried out.  A test checks that its names equal those of core/comm/operations.c.
 */
#include "errand/errand.h"

const struct kh_errand_kind kh_errand_rows[] = {
	{"comm.search", kh_search_run}, {"comm.fetch", kh_fetch_run}, {"comm.query", kh_query_run},
	{"comm.read", kh_read_run},     {"comm.exec", kh_exec_run},   {"comm.resource", kh_tool_run},
	{"comm.mcp", kh_tool_run},
};
const size_t kh_errand_row_count = sizeof(kh_errand_rows) / sizeof(kh_errand_rows[0]);

const struct kh_errand_kind *kh_errand_find(struct kh_view operation)
{
	struct kh_view upstream = KH_LIT("comm.mcp");

	if (kh_view_starts(operation, KH_LIT("comm.mcp.")))
		operation = upstream;
	for (size_t i = 0; i < kh_errand_row_count; i++) {
		if (kh_view_eq(kh_view_str(kh_errand_rows[i].operation), operation))
			return &kh_errand_rows[i];
	}
	return NULL;
}

enum kh_err kh_errand_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			  struct kh_errand_result *ret_result)
{
	const struct kh_errand_kind *kind = kh_errand_find(errand->operation);
	struct kh_errand_result result = {.end = KH_ERRAND_FAILED, .source = errand->operation};

	enum kh_err e = KH_OK;

	if (kind == NULL)
		result.why = KH_LIT("this operation cannot be carried out");
	else if (tools == NULL || tools->client == NULL)
		result.why = KH_LIT("there is no executor to carry it out");
	else
		e = kind->run(tools, errand, arena, &result);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e == KH_OK)
		*ret_result = result;
	return e;
}

static bool can_run(struct kh_view operation)
{
	return kh_errand_find(operation) != NULL;
}

const struct kh_errands kh_errand_table = {.can_run = can_run, .run = kh_errand_run};
