/*
 * Elicitation (A4): where a call waits for a human's decision and the client can show its user something, the user is
 * told the approval's id and where to decide.  Never any content, and what the client answers decides nothing: the one
 * who sits before an agent's client is not by that a reviewer.
 *
 * Before 2026-07-28 that is a request to the client while the call waits.  From then on the call ends with
 * `input_required`, and is made again by the client, with a request state that has it wait for what it had begun.
 */
#ifndef KH_MCP_ELICIT_H
#define KH_MCP_ELICIT_H

#include "mcp/exchange.h"

/* What a request state is about, in its first byte. */
#define KH_MCP_ELICIT_APPROVAL 'a' /* an approval's id follows */
#define KH_MCP_ELICIT_TOOL     't' /* what a tool wants to have back follows */

/* After a step of X's that goes on to wait.  True: X ends with *ANSWER instead. */
bool kh_mcp_elicit_tell(struct kh_mcp_exchange *x, struct kh_mcp_answer *answer);

/* Before a wait, with which the arguments go: makes the digest that request states of X are bound to. */
enum kh_err kh_mcp_elicit_bind(struct kh_mcp_exchange *x) KH_CHECKED;

/* An `input_required` result: INPUTS, and KIND and PAYLOAD sealed as its request state. */
enum kh_err kh_mcp_elicit_required(struct kh_mcp_exchange *x, yyjson_mut_val *inputs, char kind, struct kh_view payload,
				   yyjson_mut_val **ret_result) KH_CHECKED;

/*
 * The call's `inputs`, `state` and `resume` out of PARAMS, where they have any, and what request states of it are bound
 * to: ARGUMENTS.  Of 2026-07-28.  KH_EREFUSED `bad_state`, KH_EINPUT `bad_params`.
 */
enum kh_err kh_mcp_elicit_resume(struct kh_mcp_exchange *x, yyjson_val *params, yyjson_val *arguments) KH_CHECKED;

#endif
