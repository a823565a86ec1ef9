/*
 * The generations that begin with `initialize`: what is agreed there holds for the peer.  Also what the server says of
 * itself, which both generations use.
 *
 * A session only lets a transport recognise a peer: it gives no rights.
 */
#ifndef KH_MCP_SESSION_H
#define KH_MCP_SESSION_H

#include "mcp/exchange.h"

/*
 * Checks whether a request may come now, and sets in X what holds for it: version and client capabilities.
 * `initialize` changes the peer here, so that the next message sees the change.  Returns false and sets *RET_FAULT if
 * not.
 */
bool kh_mcp_session_check(struct kh_mcp_exchange *x, const struct kh_rpc *rpc, struct kh_rpc_fault *ret_fault);

/* Takes a notification of the client: notifications/initialized, notifications/cancelled; others are ignored. */
void kh_mcp_session_notice(struct kh_mcp_peer *peer, const struct kh_rpc *rpc, struct kh_arena *arena);

/* initialize, ping, logging/setLevel */
kh_mcp_method_fn kh_mcp_session_initialize, kh_mcp_session_ping, kh_mcp_session_set_level;

/* Returns the KH_MCP_CAN_* bits of a client's capabilities, as VERSION defines them. */
unsigned kh_mcp_session_can(yyjson_val *capabilities, enum kh_rpc_version version);

/* What the server says of itself: name and version; capabilities; how to begin, for a model. */
yyjson_mut_val *kh_mcp_session_server(yyjson_mut_doc *doc, enum kh_rpc_version version);
yyjson_mut_val *kh_mcp_session_capabilities(const struct kh_mcp *mcp, yyjson_mut_doc *doc);
struct kh_view kh_mcp_session_instructions(enum kh_role role);

#endif
