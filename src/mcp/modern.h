/* 2026-07-28: every request stands alone.  It says in `_meta` which version it uses and what its client can do.
 * There is no `initialize`, no ping, no session. */
#ifndef KH_MCP_MODERN_H
#define KH_MCP_MODERN_H

#include "mcp/exchange.h"
#include "mcp/headers.h"

/* True if a request is of this generation: its `_meta` or its header says so, or only this generation has its METHOD
 * (NULL: unknown). */
bool kh_mcp_modern_is(const struct kh_mcp_method *method, const struct kh_rpc *rpc,
		      const struct kh_mcp_headers *headers);

/* Reads what the request says of itself into X: version, client capabilities, log level; and compares the headers
 * with it (NULL: this transport has none).  Returns false and sets *RET_FAULT if something is wrong. */
bool kh_mcp_modern_check(struct kh_mcp_exchange *x, const struct kh_rpc *rpc, const struct kh_mcp_headers *headers,
			 struct kh_rpc_fault *ret_fault);

/* Adds what every result of this version has: resultType, the server's name, and how long it may be cached. */
void kh_mcp_modern_dress(struct kh_mcp_exchange *x, yyjson_mut_val *result);

/* server/discover */
kh_mcp_method_fn kh_mcp_modern_discover;

#endif
