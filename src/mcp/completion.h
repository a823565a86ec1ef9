/* completion/complete: offers values for an argument whose beginning is given: the ids of the caller's tasks, for
 * the resource templates.  Prompts have no arguments. */
#ifndef KH_MCP_COMPLETION_H
#define KH_MCP_COMPLETION_H

#include "mcp/method.h"

#define KH_MCP_COMPLETION_MOST 100 /* values of one answer, the limit of MCP */

/* {"completion": {values, total, hasMore}}.  KH_EINPUT if the params are not valid or name a template or prompt that the
 * caller does not have (-32602). */
kh_mcp_method_fn kh_mcp_completion_run;

#endif
