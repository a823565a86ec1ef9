/* What to do next, for a model whose call failed: one sentence for each code that a tool can fail with.  The texts
 * are fixed and say nothing that the code does not. */
#ifndef KH_MCP_NEXT_H
#define KH_MCP_NEXT_H

/* Returns NULL if there is nothing to say besides the error itself. */
const char *kh_mcp_next_find(const char *code);

#endif
