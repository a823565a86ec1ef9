/*
 * comm.mcp.<server>.<tool> (U5): a tool of an upstream server.  Servers live longer than an errand, so what runs them
 * stands beside this folder (src/upstream) and is reached by a pointer.
 */
#include "errand/errand.h"

enum kh_err kh_tool_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			struct kh_errand_result *result)
{
	if (errand->tool != NULL && tools->upstreams.of != NULL)
		return tools->upstreams.call(tools->upstreams.of, errand, arena, result);
	result->why = KH_LIT("no upstream servers are run by this process");
	return KH_OK;
}
