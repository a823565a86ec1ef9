/*
 * The tools of upstream servers (U5): <server>__<alias> declares comm.mcp.<server>.<alias> and carries it out.  What the
 * tool takes is its own, and checked by the engine; `keyhole` is ours, and checked here.
 */
#ifndef KH_MCP_TOOL_UPSTREAM_H
#define KH_MCP_TOOL_UPSTREAM_H

#include "mcp/tool.h"

#define KH_MCP_TOOL_UPSTREAM_MEMBER "keyhole" /* the engine approves no tool that has a parameter of this name */

/* The schemas of `keyhole` and of what comes back, as JSON: short, because every tool has them (G6). */
extern const char kh_mcp_tool_upstream_schema[], kh_mcp_tool_upstream_output[];

/* Checks `keyhole` among the arguments against SCHEMA, which is kh_mcp_tool_upstream_schema, parsed. */
enum kh_err kh_mcp_tool_upstream_check(struct kh_mcp_call *call, yyjson_val *schema, yyjson_val *arguments) KH_CHECKED;

/* The tool of every upstream tool: call->tool says which. */
kh_mcp_tool_fn kh_mcp_tool_upstream_run;

#endif
