/* The table of methods: what a client can ask for, in which generation of MCP, and the function that answers.  There
 * is one table; nothing else knows a method's name. */
#ifndef KH_MCP_METHODS_H
#define KH_MCP_METHODS_H

#include "mcp/offer.h"

/* Keyhole's own methods and tools, for kh_mcp_new(). */
struct kh_mcp_part kh_mcp_methods_part(void);

#endif
