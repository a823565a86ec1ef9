/*
 * comm.mcp.<server>.<tool> (U5) and comm.resource (U3): a tool of an upstream server is called, or a resource is read
 * there.  Servers live longer than an errand, so what runs them stands beside this folder (src/upstream) and is reached by
 * a pointer.
 */
#include "errand/errand.h"

enum kh_err kh_tool_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			struct kh_errand_result *result)
{
	/* The server stands before the URI, because what it calls https://example.com is what it says of that host. */
	if (errand->tool != NULL && errand->tool->is_resource)
		result->source = kh_arena_printf(arena, "%.*s: %.*s", KH_FMT(errand->tool->server),
						 KH_FMT(errand->tool->name));
	if (errand->tool != NULL && tools->upstreams.of != NULL)
		return tools->upstreams.call(tools->upstreams.of, errand, arena, result);
	result->why = KH_LIT("no upstream servers are run by this process");
	return KH_OK;
}
