/*
 * verification_next and verification_decide, for supervisors (K7): tool calls that wait to be verified.
 *
 * A supervisor sees only approvals of the kind `tool call`, and decides yes or no: only a human may change a call.  If
 * no tool call is governed, nothing waits.
 */
#ifndef KH_MCP_TOOL_SUPERVISOR_H
#define KH_MCP_TOOL_SUPERVISOR_H

#include "mcp/tool.h"

kh_mcp_tool_fn kh_mcp_tool_supervisor_next, kh_mcp_tool_supervisor_decide;

#endif
