/*
 * What a call says before its answer: progress, log messages, and requests to the client.  For the steps of a call, on
 * the thread of the step.
 */
#ifndef KH_MCP_SAY_H
#define KH_MCP_SAY_H

#include "mcp/tool.h"
#include "rpc/level.h"

/* notifications/message, where the client asked for this level or a lower one.  Of the latest version a request has to
 * ask itself; of those before, what logging/setLevel said, and everything where nothing was. */
void kh_mcp_say_log(struct kh_mcp_call *call, int level, struct kh_view text);

/* notifications/progress; nothing where the request has no progressToken.  TOTAL 0: not known. */
void kh_mcp_say_progress(struct kh_mcp_call *call, int64_t progress, int64_t total);

/*
 * A request to the client (elicitation/create, sampling/createMessage, roots/list), before 2026-07-28; its answer wakes
 * the call.  One at a time.  False: this client cannot be asked, or is not to be asked another one.
 */
bool kh_mcp_say_ask(struct kh_mcp_call *call, const char *method, yyjson_mut_val *params);

/* The answer, in the arena of this step: {"result":...} or {"error":...}, whole as it came; NULL until it is there. */
yyjson_val *kh_mcp_say_answer(struct kh_mcp_call *call);

/* The client may be let go for now, and comes back for the rest: of transports that can. */
void kh_mcp_say_rest(struct kh_mcp_call *call);

#endif
