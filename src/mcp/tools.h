/* The table of Keyhole's own tools, in the order in which they are listed. */
#ifndef KH_MCP_TOOLS_H
#define KH_MCP_TOOLS_H

#include "mcp/tool.h"

const struct kh_mcp_tool *kh_mcp_tools_all(size_t *ret_count);

#endif
