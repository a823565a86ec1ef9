/*
 * requestState (2026-07-28): what a call needs to know when it is made again goes through the client, who may change
 * it.  So it is sealed: a keyed BLAKE2b over its payload, the token, the method, the name and the arguments' digest it
 * is bound to, a nonce, and the time until which it is good.  It is not secret: the client may know its content.
 *
 * The key comes from the store's key of public ids, so that every process on the same store opens what another sealed.
 * A state is good once: that it came back is a row of the store (gateway/keeping.h) as long as the state is good, so that
 * neither another process nor this one after a restart takes it again.  A token can use KH_KEEPING_STATES states in that
 * time; more are refused.
 */
#ifndef KH_MCP_STATE_H
#define KH_MCP_STATE_H

#include "mcp/exchange.h"

#define KH_MCP_STATE_GOOD INT64_C(900000000) /* microseconds */
#define KH_MCP_STATE_MOST 4096               /* bytes of a payload */

/* What a state is bound to. */
struct kh_mcp_state_bond {
	struct kh_token_claim token;
	struct kh_view method, name;
	struct kh_digest arguments;
};

/* Derives MCP's key. */
void kh_mcp_state_init(struct kh_mcp *mcp);
void kh_mcp_state_done(struct kh_mcp *mcp);

/* KH_ELIMIT `too_long` if the payload is too long. */
enum kh_err kh_mcp_state_seal(struct kh_mcp *mcp, struct kh_arena *arena, const struct kh_mcp_state_bond *bond,
			      struct kh_view payload, struct kh_view *ret_text, struct kh_error *err) KH_CHECKED;

/* KH_EREFUSED `bad_state`, without a reason: changed, of another token or call, too old, or used. */
enum kh_err kh_mcp_state_open(struct kh_mcp *mcp, struct kh_arena *arena, const struct kh_mcp_state_bond *bond,
			      struct kh_view text, struct kh_view *ret_payload, struct kh_error *err) KH_CHECKED;

#endif
