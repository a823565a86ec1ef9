/*
 * A tool: its entry in a table (tools.h), one call of it, and its result.  Each group of tools is a file of its own
 * (tool_task.c, tool_query.c, ...).
 *
 * A tool is run by the steps of its exchange.  A tool that does not wait does everything in its first step.  Its result
 * is made in the arena of the step that ends it.
 */
#ifndef KH_MCP_TOOL_H
#define KH_MCP_TOOL_H

#include "base/json.h"
#include "engine/operations.h"
#include "gateway/operating.h"
#include "rpc/version.h"

struct kh_mcp_exchange;

/* The result of a call of a tool. */
struct kh_mcp_result {
	/* KH_OK: `structured` is the answer.  Else *err says what was wrong, and `next` what to do about it; the
	 * client gets a tool error (isError), which its model reads. */
	enum kh_err e;
	const char *next;           /* "Call task_open first."; NULL: nothing more to say */
	yyjson_mut_val *structured; /* an object of the tool's output schema, in call->doc */
	struct kh_view text;        /* for models that do not get `structured`; empty: `structured` as JSON */
	/* Labels (K10) for `_meta`, if the result contains untrusted content.  NULL trust: it does not. */
	const char *trust, *taint; /* "untrusted", "medium" */
	struct kh_view block;      /* the delivery's block id */
	struct kh_view sources;    /* JSON array of the block ids that it came from; may be empty */

	/* Members that few tools need.  `content`: an array of content blocks in place of `text`, with the tool's
	 * `is_error`. */
	yyjson_mut_val *content;
	bool is_error;
	/* Not 0: a JSON-RPC error in place of a result, with this code, sentence and data (may be NULL). */
	int rpc_code;
	const char *rpc_message;
	yyjson_mut_val *rpc_data;
	/*
	 * From 2026-07-28 on, an object: what the client is asked for (inputRequests) before the call can go on.  The
	 * client calls again with call->inputs and call->state, which is `state` again: it goes through the client
	 * sealed, bound to token, method, name and arguments, and comes back once.
	 */
	yyjson_mut_val *inputs;
	struct kh_view state;
};

struct kh_mcp_tool;

/* One call, as a tool sees it. */
struct kh_mcp_call {
	struct kh_gateway *gateway;
	struct kh_token_claim token;
	const struct kh_who *who;
	const struct kh_mcp_tool *tool; /* the tool that is called */
	yyjson_val *arguments;  /* an object, checked against the schema's members and types; in the first step only */
	struct kh_arena *arena; /* of this step: freed by a wait */
	yyjson_mut_doc *doc;    /* likewise */
	struct kh_error *err;
	struct kh_work *work; /* to set its wake_at and wake_chain, if the call waits */
	bool stopping;        /* the gateway stops, or the call was cancelled: the tool has to end */
	bool acts;            /* of approval_wait: kept.operating goes on, not kept.asking; kept over a wait too */
	union {
		struct kh_asking asking;
		struct kh_operating operating;
		struct {
			int64_t until;
			int64_t look_at; /* for begin_execution */
			bool rested;     /* for wait.h */
		} next;
		char bytes[512];
	} kept; /* zeroed before the first step, kept over a wait */
	/* Data that does not fit there: bytes of the engine's allocator, set once.  Whoever runs the call frees
	 * them, however it ends. */
	struct kh_view lasting;
	/* A tool sets this if it learns, in a step that goes on to wait, that a human decides: the approval's id, so
	 * that a human can be told where (A4).  Empty: nothing waits.  A tool that was given the id sets nothing. */
	char approval[KH_ASKING_ID];
	/* Not empty: this call was made before, learned that it waits for this approval, was ended so that a human
	 * could be told, and is now made again.  It goes on with what it had begun, and begins nothing new. */
	char resume[KH_ASKING_ID];
	struct kh_mcp_exchange *exchange; /* for say.h */
	enum kh_rpc_version version;
	unsigned can;         /* KH_MCP_CAN_* of the client */
	yyjson_val *inputs;   /* inputResponses, an object; NULL: none were sent; in the first step only */
	struct kh_view state; /* `state` of the result before this call; p NULL: none; in the first step only */
};

typedef enum kh_work_next kh_mcp_tool_fn(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);

struct kh_mcp_tool {
	const char *name;        /* [A-Za-z0-9_-] */
	const char *title;       /* for people */
	const char *description; /* for a model that has never seen Keyhole, with an example */
	unsigned roles;          /* KH_ROLE_BIT()s of the roles that see it */
	const char *input;       /* JSON schema, an object; literal */
	const char *output;      /* likewise, for `structured` */
	bool read_only, destructive, idempotent, open_world; /* annotations */
	bool is_upstream;                                    /* of an upstream server (upstreams.h) */
	const char *operation;                               /* that it declares and runs: "comm.fetch"; NULL: none */
	kh_mcp_tool_fn *run;
};

/* Returns a string among the arguments; {NULL, 0}: there is none. */
struct kh_view kh_mcp_tool_text(const struct kh_mcp_call *call, const char *argument);

/* Runs an operation of the engine with the caller's token. */
enum kh_err kh_mcp_tool_run(struct kh_mcp_call *call, kh_engine_fn *fn, void *of) KH_CHECKED;

/*
 * Decides whether a call that has found nothing goes on waiting; call->kept.next keeps until when.  SECONDS is the
 * caller's bound and counts in the first step only; below 0: the gateway's.  True: the work's wake_at and wake_chain
 * are set so that it looks again when something was recorded, but only a few times a second however busy the record is.
 *
 * For Readers and supervisors only: a Controller could learn from it when others act.
 */
bool kh_mcp_tool_wait(struct kh_mcp_call *call, int64_t seconds);

/* End a call, for `return kh_mcp_tool_end(...)`: with E and *call->err; with STRUCTURED, or KH_ENOMEM if a part of it
 * could not be made; with the first if E is not KH_OK, else with the second. */
enum kh_work_next kh_mcp_tool_fail(struct kh_mcp_call *call, struct kh_mcp_result *result, enum kh_err e);
enum kh_work_next kh_mcp_tool_done(struct kh_mcp_call *call, struct kh_mcp_result *result, yyjson_mut_val *structured);
enum kh_work_next kh_mcp_tool_end(struct kh_mcp_call *call, struct kh_mcp_result *result, enum kh_err e,
				  yyjson_mut_val *structured);

#endif
