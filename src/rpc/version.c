/* Versions by name, in one table.  Code that depends on the version compares the enumerators. */
#include "rpc/version.h"

#include "base/words.h"

static const struct kh_words names =
	KH_WORDS([KH_MCP_NONE] = "", [KH_MCP_2025_03_26] = "2025-03-26", [KH_MCP_2025_06_18] = "2025-06-18",
		 [KH_MCP_2025_11_25] = "2025-11-25", [KH_MCP_2026_07_28] = "2026-07-28");

const char *kh_rpc_version_name(enum kh_rpc_version version)
{
	return kh_words_name(&names, version);
}

enum kh_rpc_version kh_rpc_version_find(struct kh_view name)
{
	unsigned version;

	return kh_words_parse(&names, name, &version) ? (enum kh_rpc_version)version : KH_MCP_NONE;
}

enum kh_rpc_version kh_rpc_version_offer(struct kh_view name)
{
	enum kh_rpc_version version = kh_rpc_version_find(name);

	return version != KH_MCP_NONE && !kh_rpc_version_is_stateless(version) ? version : KH_MCP_2025_11_25;
}
