/*
 * The table of methods: what a client can ask for, in which generation of MCP, and the function that answers.  One
 * table; nothing else knows a method's name.
 */
#ifndef KH_MCP_METHODS_H
#define KH_MCP_METHODS_H

#include "mcp/exchange.h"

#define KH_MCP_LEGACY (1U << 0) /* those that begin with `initialize` */
#define KH_MCP_MODERN (1U << 1) /* stateless */

struct kh_mcp_method {
	const char *name;
	unsigned generations; /* in which it is there */
	bool early;           /* also before `initialize` */
	bool operates;        /* an operation with the caller's token follows, which checks it again */
	int64_t ttl;          /* milliseconds for which a modern client may keep the answer; -1: not at all, unsaid */
	const char *named;    /* the member of params that Mcp-Name repeats; NULL: none */
	/*
	 * A step; *RET_ANSWER is filled in where it returns KH_WORK_DONE.  CALL's `arguments` are the params, an
	 * object or NULL, but for tools/call, which has its own.
	 */
	enum kh_work_next (*run)(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer);
};

/* NULL: there is none of this name. */
const struct kh_mcp_method *kh_mcp_methods_find(struct kh_view name);

#endif
