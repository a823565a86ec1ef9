/* The supported versions of MCP, and what differs between them. */
#ifndef KH_RPC_VERSION_H
#define KH_RPC_VERSION_H

#include "base/view.h"

#define KH_RPC_META "io.modelcontextprotocol/" /* prefix of the protocol's own members of `_meta` */

enum kh_rpc_version {
	KH_MCP_NONE,
	KH_MCP_2025_03_26, /* batches */
	KH_MCP_2025_06_18,
	KH_MCP_2025_11_25,
	KH_MCP_2026_07_28, /* stateless */
	KH_MCP_VERSIONS
};

const char *kh_rpc_version_name(enum kh_rpc_version version);

/* NONE if it is not a supported one. */
enum kh_rpc_version kh_rpc_version_find(struct kh_view name);

/*
 * The answer to `initialize` with NAME: NAME itself if it is supported and has `initialize`, else the newest version
 * that has it.
 */
enum kh_rpc_version kh_rpc_version_offer(struct kh_view name);

static inline bool kh_rpc_version_is_stateless(enum kh_rpc_version v)
{
	return v == KH_MCP_2026_07_28;
}

#endif
