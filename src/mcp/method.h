/* A method of MCP: its entry in a table (methods.h), and the answer to a request. */
#ifndef KH_MCP_METHOD_H
#define KH_MCP_METHOD_H

#include "mcp/tool.h"
#include "rpc/rpc.h"

#define KH_MCP_LEGACY (1U << 0) /* the versions that begin with `initialize` */
#define KH_MCP_MODERN (1U << 1) /* the stateless version */

/* The answer of a method. */
struct kh_mcp_answer {
	enum kh_err e;             /* not KH_OK: call->err says why, and `fault` may say it in more detail */
	yyjson_mut_val *result;    /* an object */
	struct kh_rpc_fault fault; /* number not 0: this is the answer */
};

typedef enum kh_err kh_mcp_method_fn(struct kh_mcp_call *call, yyjson_mut_val **ret_result);

struct kh_mcp_method {
	const char *name;
	unsigned generations; /* in which it exists: KH_MCP_LEGACY, KH_MCP_MODERN */
	bool early;           /* allowed before `initialize` */
	bool begins;          /* it is `initialize` */
	bool operates;        /* an operation follows, which checks the caller's token itself */
	int64_t ttl;       /* milliseconds for which a modern client may keep the answer; -1: the answer does not say */
	const char *named; /* the member of params that Mcp-Name repeats; NULL: none */
	/* Makes the result.  CALL's `arguments` are the params, an object or NULL, except for tools/call, which has
	 * its own. */
	kh_mcp_method_fn *answer;
	/* Or, for a method that may wait, or that has faults of its own: runs a step; fills in *RET_ANSWER if it
	 * returns KH_WORK_DONE. */
	enum kh_work_next (*run)(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer);
};

#endif
