/* The test tools of the conformance program (conform.h): a table of them. */
#ifndef KH_TESTS_CONFORMANCE_CONFORM_TOOLS_H
#define KH_TESTS_CONFORMANCE_CONFORM_TOOLS_H

#include "mcp/tool.h"

const struct kh_mcp_tool *kh_conform_tools_all(size_t *ret_count);

#endif
