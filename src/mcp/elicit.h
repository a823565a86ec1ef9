/*
 * Elicitation (A4): if a call waits for a human's decision and the client can show something to its user, the user is
 * told the approval's id and where to decide.  No content is ever sent, and the client's answer decides nothing,
 * because the user of an agent's client is not necessarily a reviewer.
 *
 * Before 2026-07-28 this is a request to the client while the call waits.  From then on the call ends with
 * `input_required`.  The client makes it again with a request state, so that it waits for what it had begun.
 */
#ifndef KH_MCP_ELICIT_H
#define KH_MCP_ELICIT_H

#include "mcp/exchange.h"

/* What a request state is about; its first byte. */
#define KH_MCP_ELICIT_APPROVAL 'a' /* an approval's id follows */
#define KH_MCP_ELICIT_TOOL     't' /* the tool's own `state` follows */

/* Call it after a step of X that goes on to wait for an approval.  True: X ends with *ANSWER instead. */
bool kh_mcp_elicit_tell(struct kh_mcp_exchange *x, struct kh_mcp_answer *answer);

/* Makes the digest that request states of X are bound to.  Call it before a wait, which frees the arguments. */
enum kh_err kh_mcp_elicit_bind(struct kh_mcp_exchange *x) KH_CHECKED;

/* Makes an `input_required` result with INPUTS; KIND and PAYLOAD are sealed as its request state. */
enum kh_err kh_mcp_elicit_required(struct kh_mcp_exchange *x, yyjson_mut_val *inputs, char kind, struct kh_view payload,
				   yyjson_mut_val **ret_result) KH_CHECKED;

/* Reads the call's `inputs`, `state` and `resume` from PARAMS, if they are there.  Its request states are bound to
 * x->bound.  For 2026-07-28.  KH_EREFUSED `bad_state`, KH_EINPUT `bad_params`. */
enum kh_err kh_mcp_elicit_resume(struct kh_mcp_exchange *x, yyjson_val *params) KH_CHECKED;

#endif
