/* Versions by name, in one table.  Code that depends on the version compares the enumerators. */
#include "rpc/version.h"

static const char *const names[KH_MCP_VERSIONS] = {
	[KH_MCP_NONE] = "",
	[KH_MCP_2025_03_26] = "2025-03-26",
	[KH_MCP_2025_06_18] = "2025-06-18",
	[KH_MCP_2025_11_25] = "2025-11-25",
	[KH_MCP_2026_07_28] = "2026-07-28",
};

const char *kh_rpc_version_name(enum kh_rpc_version version)
{
	return names[version];
}

enum kh_rpc_version kh_rpc_version_find(struct kh_view name)
{
	for (enum kh_rpc_version v = KH_MCP_NONE + 1; v < KH_MCP_VERSIONS; v++) {
		if (kh_view_eq(name, kh_view_str(names[v])))
			return v;
	}
	return KH_MCP_NONE;
}

enum kh_rpc_version kh_rpc_version_offer(struct kh_view name)
{
	enum kh_rpc_version version = kh_rpc_version_find(name);

	return version != KH_MCP_NONE && !kh_rpc_version_is_stateless(version) ? version : KH_MCP_2025_11_25;
}
