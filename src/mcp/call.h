/*
 * tools/list and tools/call.  A caller sees the tools of its role.  A tool that it does not see is answered like one
 * that does not exist.
 *
 * A tool's failure is a result with isError, which a model reads: what was wrong, and what to do next.  A fault in the
 * request itself, or in Keyhole, is a JSON-RPC error.
 */
#ifndef KH_MCP_CALL_H
#define KH_MCP_CALL_H

#include "mcp/exchange.h"

kh_mcp_method_fn kh_mcp_call_list;
enum kh_work_next kh_mcp_call_run(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer);

#endif
