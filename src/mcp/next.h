/* What to do next, for a model whose call failed: one sentence for each code that a tool can fail with.  The texts
 * are fixed and say nothing that the code does not. */
#ifndef KH_MCP_NEXT_H
#define KH_MCP_NEXT_H

#include "mcp/tool.h"

/* Returns NULL if there is nothing to say besides the error itself. */
const char *kh_mcp_next_find(const char *code);

/* Ends a call with E and *call->err: fills RESULT.  For `return kh_mcp_next_fail(call, ret_result, e);`. */
enum kh_work_next kh_mcp_next_fail(struct kh_mcp_call *call, struct kh_mcp_result *result, enum kh_err e);

/* Ends a call with STRUCTURED, or with KH_ENOMEM if a part of it could not be made. */
enum kh_work_next kh_mcp_next_done(struct kh_mcp_call *call, struct kh_mcp_result *result, yyjson_mut_val *structured);

#endif
