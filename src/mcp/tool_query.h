/*
 * BCPQuery and approval_wait, for Controllers (B1-B24, A5).
 *
 * Everything that a result says follows from the outcome, which is one of a fixed list, and from the delivery.  The
 * gateway decides when it is sent (gateway/asking.h).
 */
#ifndef KH_MCP_TOOL_QUERY_H
#define KH_MCP_TOOL_QUERY_H

#include "mcp/tool.h"

kh_mcp_tool_fn kh_mcp_tool_query_ask, kh_mcp_tool_query_wait;

#endif
