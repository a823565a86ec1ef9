/*
 * BCPNext and BCPRespond, for Readers that are agents (I3, B4, B24).
 *
 * A Reader is given one ask at a time, with its content in fences, and answers it.  It is told one of three words about
 * its answer, and starts nothing.
 */
#ifndef KH_MCP_TOOL_READER_H
#define KH_MCP_TOOL_READER_H

#include "mcp/tool.h"

kh_mcp_tool_fn kh_mcp_tool_reader_next, kh_mcp_tool_reader_respond;

#endif
