/*
 * /mcp: MCP over Streamable HTTP, every version that src/mcp supports, at one address.
 *
 *   POST    one message (2025-03-26: or a batch).  The answer is JSON, or server-sent events if there are other
 *           messages or the answer takes long; 202 if there is no answer.
 *   GET     events: of a stream that was cut off (Last-Event-ID), or outside of exchanges.  Only in a session.
 *   DELETE  ends a session.
 *
 * 2026-07-28 has no sessions: only POST; the others are 405.
 *
 * Whom it trusts: nobody.  A bearer token must come with every request (401); all rights depend on it.  Host, Origin
 * and the body's length were checked before (server.h).  A session id with another token than its own is answered like
 * an unknown one: 404.  http/mcp/session.h, http/mcp/stream.h and http/mcp/replay.h say what is kept in memory and its
 * limits.
 */
#ifndef KH_HTTP_MCP_MCP_H
#define KH_HTTP_MCP_MCP_H

#include "http/server.h"
#include "mcp/mcp.h"

struct kh_http_mcp;

struct kh_http_mcp_settings {
	struct kh_gateway *gateway;
	struct kh_mcp *mcp;
};

/* Call it before kh_http_start(). */
enum kh_err kh_http_mcp_new(const struct kh_http_mcp_settings *settings, struct kh_http_mcp **ret_mcp,
			    struct kh_error *err) KH_CHECKED;
enum kh_err kh_http_mcp_add(struct kh_http_mcp *mcp, struct kh_http *http, struct kh_error *err) KH_CHECKED;

/* Call it after kh_gateway_stop() and kh_http_free(), before kh_mcp_free().  NULL is fine. */
void kh_http_mcp_free(struct kh_http_mcp *mcp);

/* Returns the number of sessions, for /metrics. */
unsigned kh_http_mcp_sessions(struct kh_http_mcp *mcp);

#endif
