/* Levels of log messages (notifications/message, logging/setLevel), from the least to the most severe. */
#ifndef KH_RPC_LEVEL_H
#define KH_RPC_LEVEL_H

#include "base/view.h"

enum kh_rpc_level {
	KH_RPC_DEBUG,
	KH_RPC_INFO,
	KH_RPC_NOTICE,
	KH_RPC_WARNING,
	KH_RPC_ERROR,
	KH_RPC_CRITICAL,
	KH_RPC_ALERT,
	KH_RPC_EMERGENCY,
	KH_RPC_LEVELS
};

const char *kh_rpc_level_name(enum kh_rpc_level level);

/* The level of this name, or -1. */
int kh_rpc_level_find(struct kh_view name);

#endif
