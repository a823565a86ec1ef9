/*
 * BCPQuery and approval_wait, for Controllers (B1-B24, A5).
 *
 * Everything that a result says follows from the outcome, which is one of a fixed list, and from the delivery.  The
 * gateway decides when it is sent (gateway/asking.h).
 */
#ifndef KH_MCP_TOOL_QUERY_H
#define KH_MCP_TOOL_QUERY_H

#include "mcp/tool.h"

enum kh_work_next kh_mcp_tool_query_ask(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);
enum kh_work_next kh_mcp_tool_query_wait(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);

#endif
