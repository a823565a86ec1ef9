/*
 * HTTP headers that repeat parts of a message (2026-07-28): Mcp-Method, Mcp-Name, Mcp-Param-*.  If a header differs
 * from the body, the request is refused, because a proxy that routes by headers must see the same request as Keyhole.
 */
#ifndef KH_MCP_HEADERS_H
#define KH_MCP_HEADERS_H

#include "mcp/offer.h"

/* The headers of an HTTP request; lines have none. */
struct kh_mcp_headers {
	struct kh_view version, method, name; /* MCP-Protocol-Version, Mcp-Method, Mcp-Name; p NULL: not there */
	/* Any other header, for Mcp-Param-*; {NULL,0} if it is not there. */
	struct kh_view (*get)(void *ctx, const char *name);
	void *ctx;
};

/* Returns NULL if they agree; else a text that says what differs.  METHOD: the message's; NULL: unknown. */
const char *kh_mcp_headers_check(struct kh_arena *arena, const struct kh_mcp_offer *offer,
				 const struct kh_mcp_headers *headers, const struct kh_rpc *rpc,
				 const struct kh_mcp_method *method);

#endif
