/*
 * What HTTP's headers repeat of a message (2026-07-28): Mcp-Method, Mcp-Name, Mcp-Param-*.  Whoever routes by headers
 * must not be told another thing than whoever reads the body: where they differ, the request is refused.
 */
#ifndef KH_MCP_HEADERS_H
#define KH_MCP_HEADERS_H

#include "mcp/offer.h"

/* What HTTP says beside the body; on lines there is none of it. */
struct kh_mcp_headers {
	struct kh_view version, method, name; /* MCP-Protocol-Version, Mcp-Method, Mcp-Name; p NULL: not there */
	/* Any other header, for Mcp-Param-*; {NULL,0} if it is not there. */
	struct kh_view (*get)(void *ctx, const char *name);
	void *ctx;
};

/* The value of a header: trimmed, and decoded where it is =?base64?...?=.  False: it says that it is base64, and is
 * not. */
bool kh_mcp_headers_value(struct kh_arena *arena, struct kh_view header, struct kh_view *ret_value);

/* NULL if they agree; else what differs.  METHOD: the message's; NULL: unknown. */
const char *kh_mcp_headers_check(struct kh_arena *arena, const struct kh_mcp_offer *offer,
				 const struct kh_mcp_headers *headers, const struct kh_rpc *rpc,
				 const struct kh_mcp_method *method);

#endif
