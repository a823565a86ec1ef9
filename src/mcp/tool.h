/*
 * A tool: its entry in a table (tools.h), one call of it, and what the call ends with.  Each group of tools is a file of
 * its own (tool_task.c, tool_query.c, ...).
 *
 * A tool is run by the steps of its exchange.  A tool that does not wait does everything in its first step.  What it
 * says is made in the arena of the step that ends it.
 */
#ifndef KH_MCP_TOOL_H
#define KH_MCP_TOOL_H

#include "base/json.h"
#include "engine/operations.h"
#include "gateway/operating.h"
#include "rpc/version.h"

struct kh_mcp_exchange;

/* What a call of a tool ends with. */
struct kh_mcp_result {
	/* KH_OK: `structured` is the answer.  Else *err says what was wrong, and `next` what to do about it; the client
	 * gets a tool's error (isError), which its model reads. */
	enum kh_err e;
	const char *next;           /* "Call task_open first."; NULL: nothing more to say */
	yyjson_mut_val *structured; /* an object of the tool's output schema, in call->doc */
	struct kh_view text;        /* for models that do not get `structured`; empty: `structured` as JSON */
	/* Labels (K10), for `_meta`: of what came through from untrusted content.  NULL trust: none came through. */
	const char *trust, *taint; /* "untrusted", "medium" */
	struct kh_view block;      /* the delivery's block id */
	struct kh_view sources;    /* JSON array of block ids that it came from; or empty */

	/* What few need.  `content`: an array of content blocks in place of `text`, with `is_error` as the tool says.
	 */
	yyjson_mut_val *content;
	bool is_error;
	/* Not 0: a JSON-RPC error in place of a result, with this code, sentence and data (may be NULL). */
	int rpc_code;
	const char *rpc_message;
	yyjson_mut_val *rpc_data;
	/* From 2026-07-28 on, an object: what the client is asked for (inputRequests) before the call can go on.  The
	 * client calls again with call->inputs and call->state, which is `state` once more: it goes through the client
	 * sealed, bound to token, method, name and arguments, and comes back once. */
	yyjson_mut_val *inputs;
	struct kh_view state;
};

struct kh_mcp_tool;

/* One call, as a tool sees it. */
struct kh_mcp_call {
	struct kh_gateway *gateway;
	struct kh_view token;
	const struct kh_who *who;
	const struct kh_mcp_tool *tool; /* that is called */
	yyjson_val *arguments;  /* an object, checked against the schema's members and types; the first step's alone */
	struct kh_arena *arena; /* of this step: a wait gives it back */
	yyjson_mut_doc *doc;    /* likewise */
	struct kh_error *err;
	struct kh_work *work; /* to set wake_at and wake_chain of, where it waits */
	bool stopping;        /* the gateway stops, or the call was cancelled: come to an end */
	bool acts; /* of approval_wait: it is kept.operating that goes on, not kept.asking; kept over a wait too */
	union {
		struct kh_asking asking;
		struct kh_operating operating;
		struct {
			int64_t until;
			int64_t look_at; /* of begin_execution */
			bool rested;     /* of wait.h */
		} next;
		char bytes[512];
	} kept; /* zeroed before the first step, kept over a wait */
	/* What does not fit there: bytes of the engine's allocator, set once; whoever has the call run gives them back,
	 * however it ends. */
	struct kh_view lasting;
	/*
	 * Set by a tool that learns, in a step that goes on to wait, that a human decides: the approval's id, so that
	 * a human can be told where (A4).  Empty: nothing waits.  A tool that was given the id sets nothing.
	 */
	char approval[KH_ASKING_ID];
	/*
	 * Not empty: this call was made before, learned that it waits for this approval, was ended so that a human
	 * could be told, and is now made again.  It goes on with what it had begun, and begins nothing.
	 */
	char resume[KH_ASKING_ID];
	struct kh_mcp_exchange *exchange; /* for say.h */
	enum kh_rpc_version version;
	unsigned can;         /* KH_MCP_CAN_*: the client's */
	yyjson_val *inputs;   /* inputResponses, an object; NULL: none were sent; the first step's alone */
	struct kh_view state; /* what the result before this call had as `state`; p NULL: none; the first step's alone
			       */
};

struct kh_mcp_tool {
	const char *name;        /* [A-Za-z0-9_-] */
	const char *title;       /* for people */
	const char *description; /* for a model that has never seen Keyhole, with an example */
	unsigned roles;          /* KH_ROLE_BIT()s of who sees it; nobody else does */
	const char *input;       /* JSON schema, an object; literal */
	const char *output;      /* likewise, of `structured` */
	bool read_only, destructive, idempotent, open_world; /* annotations */
	const char *operation; /* that it declares and carries out: "comm.fetch"; NULL: none */
	enum kh_work_next (*run)(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);
};

#endif
