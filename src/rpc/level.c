/* Levels by name. */
#include "rpc/level.h"

static const char *const names[KH_RPC_LEVELS] = {
	[KH_RPC_DEBUG] = "debug",     [KH_RPC_INFO] = "info",           [KH_RPC_NOTICE] = "notice",
	[KH_RPC_WARNING] = "warning", [KH_RPC_ERROR] = "error",         [KH_RPC_CRITICAL] = "critical",
	[KH_RPC_ALERT] = "alert",     [KH_RPC_EMERGENCY] = "emergency",
};

const char *kh_rpc_level_name(enum kh_rpc_level level)
{
	return names[level];
}

int kh_rpc_level_find(struct kh_view name)
{
	for (int i = 0; i < KH_RPC_LEVELS; i++) {
		if (kh_view_eq(name, kh_view_str(names[i])))
			return i;
	}
	return -1;
}
