/*
 * upstream.tools (controller, host): the tools of upstream servers that a human has approved (U4, U5), as they are
 * offered to Controllers; of servers that the configuration has and does not turn off.
 *
 * All of it is as it was pinned: what a server says since then is not looked at, and whether a tool is held is not told,
 * because a server could tell a Controller something by it.
 * The texts are a server's, which a human let pass, or the human's own.
 */
#ifndef KH_ENGINE_UPSTREAM_TOOLS_H
#define KH_ENGINE_UPSTREAM_TOOLS_H

#include "engine/upstream/seen.h"

struct kh_upstream_tool {
	struct kh_view server, alias; /* operation: comm.mcp.SERVER.ALIAS */
	struct kh_view title;         /* may be empty */
	/* The reviewer's words, if there are any; then which members of its result can be asked for (askable.h). */
	struct kh_view description; /* may be empty */
	yyjson_val *input;          /* its input schema, an object */
	/*
	 * What it does: as the policy's rule says; without one it is the worst.  A server's annotations make it worse and
	 * never better.  Only rules for all agents count, because all see one list.
	 */
	bool reads_only, destroys;
};

struct kh_upstream_tools {
	struct kh_digest known; /* STAMP of what the caller has; zero: nothing */
	/* out */
	struct kh_digest stamp;               /* stands for everything that follows; never zero */
	bool has_servers;                     /* one at least is approved: its resources can be read */
	bool is_known;                        /* STAMP is KNOWN: nothing else is filled in, and no tool was read */
	const struct kh_upstream_tool *tools; /* by server, then in the order in which they were first seen */
	size_t count;
	/* internal: from the transaction to its rendering */
	struct kh_upstream_tool *made;
	struct kh_tool_row **rows;
	const struct kh_policy_rule **typing; /* the rule of each that types its results; NULL: it does not */
};

enum kh_err kh_upstream_tools_run(struct kh_op *op, void *call);
enum kh_err kh_upstream_tools_finish(struct kh_engine *engine, struct kh_arena *arena, void *call,
				     struct kh_error *err);

#endif
