/*
 * 2026-07-28: every request stands alone.  It says in `_meta` which version it speaks and what its client can; there is
 * no `initialize`, no ping, no session.
 */
#ifndef KH_MCP_MODERN_H
#define KH_MCP_MODERN_H

#include "mcp/exchange.h"
#include "mcp/headers.h"

/* Whether a request is of this generation: its `_meta` says so, or its header does, or only this one has its METHOD (NULL:
 * unknown). */
bool kh_mcp_modern_is(const struct kh_mcp_method *method, const struct kh_rpc *rpc,
		      const struct kh_mcp_headers *headers);

/*
 * Reads what the request says of itself into X: version, what the client can, log level; and holds the headers against
 * it (NULL: there are none on this transport).  False: *RET_FAULT.
 */
bool kh_mcp_modern_check(struct kh_mcp_exchange *x, const struct kh_rpc *rpc, const struct kh_mcp_headers *headers,
			 struct kh_rpc_fault *ret_fault);

/* What every result of this version carries: resultType, who we are, and how long it may be kept. */
void kh_mcp_modern_dress(struct kh_mcp_exchange *x, yyjson_mut_val *result);

/* server/discover */
enum kh_work_next kh_mcp_modern_discover(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer);

#endif
