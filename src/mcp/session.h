/*
 * The generations that begin with `initialize`: what is agreed there holds for the peer.  And what a server says of
 * itself, which both generations use.
 *
 * A session is how a transport knows a peer again, and nothing else: no right hangs on it.
 */
#ifndef KH_MCP_SESSION_H
#define KH_MCP_SESSION_H

#include "mcp/exchange.h"

/*
 * Whether a request may come now, and what holds for it: version and what the client can, into X.  `initialize` changes
 * the peer here, so that the next message finds it so.  False: *RET_FAULT.
 */
bool kh_mcp_session_check(struct kh_mcp_exchange *x, const struct kh_rpc *rpc, struct kh_rpc_fault *ret_fault);

/* A notification of the client's: notifications/initialized, notifications/cancelled; others mean nothing to us. */
void kh_mcp_session_notice(struct kh_mcp_peer *peer, const struct kh_rpc *rpc, struct kh_arena *arena);

/* initialize, ping, logging/setLevel */
enum kh_work_next kh_mcp_session_initialize(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer);
enum kh_work_next kh_mcp_session_ping(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer);
enum kh_work_next kh_mcp_session_set_level(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer);

/* KH_MCP_CAN_* out of a client's capabilities, as VERSION has them. */
unsigned kh_mcp_session_can(yyjson_val *capabilities, enum kh_rpc_version version);

/* What we say of ourselves: name and version; capabilities; how to begin, for a model. */
yyjson_mut_val *kh_mcp_session_server(yyjson_mut_doc *doc, enum kh_rpc_version version);
yyjson_mut_val *kh_mcp_session_capabilities(const struct kh_mcp *mcp, yyjson_mut_doc *doc);
struct kh_view kh_mcp_session_instructions(enum kh_role role);

#endif
