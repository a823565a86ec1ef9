/*
 * /mcp: MCP over Streamable HTTP, every version that src/mcp speaks, at one address.
 *
 *   POST    one message (2025-03-26: or a batch).  The answer as JSON, or as server-sent events where more is to be
 * said or it lets wait; 202 where there is none. GET     events: of a stream that was cut off (Last-Event-ID), or
 * outside of exchanges.  In a session alone. DELETE  ends a session.
 *
 * 2026-07-28 has no sessions: POST alone, the others are 405.
 *
 * Whom it trusts: nobody.  A bearer token must come with every request (401), and is what everything hangs on.  Host,
 * Origin and the body's length were looked at before (server.h).  A session id with another token than its own is as
 * unknown as any other: 404.  What is kept in memory, and up to which bounds, is said in http/mcp/session.h, http/mcp/stream.h
 * and mcp_replay.h.
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

/* Before kh_http_start(). */
enum kh_err kh_http_mcp_new(const struct kh_http_mcp_settings *settings, struct kh_http_mcp **ret_mcp,
			    struct kh_error *err) KH_CHECKED;
enum kh_err kh_http_mcp_add(struct kh_http_mcp *mcp, struct kh_http *http, struct kh_error *err) KH_CHECKED;

/* After kh_gateway_stop() and kh_http_free(), before kh_mcp_free().  NULL is fine. */
void kh_http_mcp_free(struct kh_http_mcp *mcp);

/* How many sessions there are, for /metrics. */
unsigned kh_http_mcp_sessions(struct kh_http_mcp *mcp);

#endif
