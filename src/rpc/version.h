/* Versions of MCP that are spoken, and what differs between them. */
#ifndef KH_RPC_VERSION_H
#define KH_RPC_VERSION_H

#include "base/view.h"

#define KH_RPC_META "io.modelcontextprotocol/" /* before the names of the protocol's own members of `_meta` */

enum kh_rpc_version {
	KH_MCP_NONE,
	KH_MCP_2025_03_26, /* batches */
	KH_MCP_2025_06_18,
	KH_MCP_2025_11_25,
	KH_MCP_2026_07_28, /* stateless */
	KH_MCP_VERSIONS
};

const char *kh_rpc_version_name(enum kh_rpc_version version);

/* NONE where it is not one of ours. */
enum kh_rpc_version kh_rpc_version_find(struct kh_view name);

/* What `initialize` with NAME is answered with: NAME itself where it is spoken and has `initialize`, else the newest
 * that has. */
enum kh_rpc_version kh_rpc_version_offer(struct kh_view name);

static inline bool kh_rpc_version_is_stateless(enum kh_rpc_version v)
{
	return v == KH_MCP_2026_07_28;
}

#endif
