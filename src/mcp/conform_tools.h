/* The test tools of a conformance build (conform.h). */
#ifndef KH_MCP_CONFORM_TOOLS_H
#define KH_MCP_CONFORM_TOOLS_H

#include "mcp/tools.h"

/* Seen by tools/list and tools/call after Keyhole's own. */
const struct kh_mcp_tool *kh_mcp_conform_tools(size_t *ret_count);

#endif
