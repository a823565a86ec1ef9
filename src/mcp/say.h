/* Messages of a call before its answer: progress, log messages, and requests to the client.  For the steps of a
 * call, on the thread of the step. */
#ifndef KH_MCP_SAY_H
#define KH_MCP_SAY_H

#include "mcp/tool.h"
#include "rpc/level.h"

/* Sends notifications/message, if the client asked for this level or a lower one.  In the latest version each
 * request has to ask itself; in earlier ones logging/setLevel counts, and everything is sent if it was not called. */
void kh_mcp_say_log(struct kh_mcp_call *call, int level, struct kh_view text);

/* Sends notifications/progress; nothing if the request has no progressToken.  TOTAL 0: not known. */
void kh_mcp_say_progress(struct kh_mcp_call *call, int64_t progress, int64_t total);

/*
 * Sends a request to the client (elicitation/create, sampling/createMessage, roots/list), before 2026-07-28; its answer
 * wakes the call.  One at a time.  Returns false if this client cannot be asked, or this call already waits for an
 * answer.
 */
bool kh_mcp_say_ask(struct kh_mcp_call *call, const char *method, yyjson_mut_val *params);

/* Returns the answer, in the arena of this step: {"result":...} or {"error":...}, whole as it came; NULL: not yet
 * there. */
yyjson_val *kh_mcp_say_answer(struct kh_mcp_call *call);

/* Lets the client disconnect for now and come back for the rest, if the transport can do that. */
void kh_mcp_say_rest(struct kh_mcp_call *call);

#endif
