/* Steps of the tests of upstream servers' tools: a server is seen and approved, a tool is called. */
#ifndef KH_TESTS_UNIT_ENGINE_TOOLING_H
#define KH_TESTS_UNIT_ENGINE_TOOLING_H

#include "engine/upstream/approve.h"
#include "operating.h"

/* A tool as its server describes it. */
struct kh_tooling {
	const char *name, *description, *schema;
};

/* SERVER is found with these tools and with PROGRAM. */
static inline void kh_tooling_see(struct kh_fixture *f, const char *server, const char *program,
				  const struct kh_tooling *tools, size_t count)
{
	struct kh_seen_tool *seen = KH_NEW_N(&f->arena, struct kh_seen_tool, count);
	struct kh_upstream_seen call = {.name = kh_view_str(server),
					.program = kh_canonical_digest(kh_view_str(program)),
					.about = KH_LIT("{}"),
					.tools = seen,
					.count = count};

	assert_non_null(seen);
	for (size_t i = 0; i < count; i++) {
		struct kh_view text = kh_arena_printf(&f->arena,
						      "{\"description\":\"%s\",\"inputSchema\":%s,\"name\":\"%s\"}",
						      tools[i].description, tools[i].schema, tools[i].name);
		seen[i] = (struct kh_seen_tool){kh_view_str(tools[i].name), text, kh_canonical_digest(text)};
	}
	must(f->t, kh_fixture_own(f, kh_upstream_seen_run, &call));
}

static inline void kh_tooling_approve(struct kh_fixture *f, const char *server)
{
	struct kh_upstream_review look = {.name = kh_view_str(server)};

	must(f->t, kh_fixture_call(f, f->admin, kh_upstream_review_run, &look));
	struct kh_upstream_approve call = {.name = kh_view_str(server),
					   .digest = kh_json_str(kh_json_get(kh_fixture_json(f, look.json), "digest"))};
	must(f->t, kh_fixture_call(f, f->admin, kh_upstream_approve_run, &call));
}

/* A task that executes a plan which names no operation: that is left to the policy. */
static inline struct kh_view kh_tooling_execute(struct kh_fixture *f)
{
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_execute begin = {
		.task = task,
		.plan = kh_fixture_json(f, KH_LIT("{\"plan\":\"read the mail of today and tell the user about it\","
						  "\"required_operations\":[]}"))};

	must(f->t, kh_fixture_call(f, f->controller, kh_transition_run, &begin));
	return task;
}

static inline enum kh_err kh_tooling_call(struct kh_fixture *f, struct kh_view task, const char *tool,
					  const char *arguments, struct kh_comm_call *ret_call)
{
	struct kh_view text = kh_arena_printf(
		&f->arena,
		"{\"operation\":\"comm.mcp.%s\",\"parameters\":%s,\"phase\":\"execution\",\"reason\":\"the "
		"user asked what mail has come today\"}",
		tool, arguments);

	return kh_operating_call(f, task, text.p, KH_LIT(""), ret_call);
}

#endif
