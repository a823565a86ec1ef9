/*
 * Requests of ours to a client, before 2026-07-28, and whose response belongs to whom: by the id, within one peer, to
 * the exchange that asked.  One at a time for an exchange.
 */
#ifndef KH_MCP_ASKED_H
#define KH_MCP_ASKED_H

#include "mcp/exchange.h"

/* Sends METHOD to the client in X.  False: X has asked already and has no answer, or there is no memory. */
bool kh_mcp_asked_send(struct kh_mcp_exchange *x, yyjson_mut_doc *doc, const char *method,
		       yyjson_mut_val *params) KH_CHECKED;

/* A response of the client's; one that nobody waits for is nothing.  ARENA is for working. */
void kh_mcp_asked_respond(struct kh_mcp_peer *peer, const struct kh_rpc *rpc, struct kh_arena *arena);

/* The response to what X asked, in the arena; NULL: there is none yet.  X may ask again then. */
yyjson_val *kh_mcp_asked_take(struct kh_mcp_exchange *x, struct kh_arena *arena);

/* X, which has asked, is about to be answered: a client that has not responded is told that nobody waits for it. */
void kh_mcp_asked_withdraw(struct kh_mcp_exchange *x);

/* Forgets what X asked.  Under the peer's lock. */
void kh_mcp_asked_forget(struct kh_mcp_exchange *x);

#endif
