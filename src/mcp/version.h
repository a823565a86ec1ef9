/* Versions of MCP that are spoken, and what differs between them. */
#ifndef KH_MCP_VERSION_H
#define KH_MCP_VERSION_H

#include "base/view.h"

enum kh_mcp_version {
	KH_MCP_NONE,
	KH_MCP_2025_03_26, /* batches */
	KH_MCP_2025_06_18,
	KH_MCP_2025_11_25,
	KH_MCP_2026_07_28, /* stateless */
	KH_MCP_VERSIONS
};

const char *kh_mcp_version_name(enum kh_mcp_version version);

/* NONE where it is not one of ours. */
enum kh_mcp_version kh_mcp_version_find(struct kh_view name);

/* What `initialize` with NAME is answered with: NAME itself where it is spoken and has `initialize`, else the newest
 * that has. */
enum kh_mcp_version kh_mcp_version_offer(struct kh_view name);

static inline bool kh_mcp_version_is_stateless(enum kh_mcp_version v)
{
	return v == KH_MCP_2026_07_28;
}

#endif
