/* Requests that we send to a client, before 2026-07-28.  A response belongs, by its id and within one peer, to the
 * exchange that asked.  An exchange asks one request at a time. */
#ifndef KH_MCP_ASKED_H
#define KH_MCP_ASKED_H

#include "mcp/exchange.h"

/* Sends METHOD to the client of X.  Returns false if X waits for an answer already, or there is no memory. */
bool kh_mcp_asked_send(struct kh_mcp_exchange *x, yyjson_mut_doc *doc, const char *method,
		       yyjson_mut_val *params) KH_CHECKED;

/* Takes a response of the client; one that nobody waits for is ignored.  ARENA is for temporary data. */
void kh_mcp_asked_respond(struct kh_mcp_peer *peer, const struct kh_rpc *rpc, struct kh_arena *arena);

/* Returns the response to what X asked, in the arena; NULL: there is none yet.  After that X may ask again. */
yyjson_val *kh_mcp_asked_take(struct kh_mcp_exchange *x, struct kh_arena *arena);

/* Call it before X, which has asked, is answered: a client that has not responded is told that nobody waits for it. */
void kh_mcp_asked_withdraw(struct kh_mcp_exchange *x);

/* Forgets what X asked.  The peer's lock is held. */
void kh_mcp_asked_forget(struct kh_mcp_exchange *x);

#endif
