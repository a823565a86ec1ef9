/* Levels by name. */
#include "rpc/level.h"

#include "base/words.h"

static const struct kh_words names =
	KH_WORDS([KH_RPC_DEBUG] = "debug", [KH_RPC_INFO] = "info", [KH_RPC_NOTICE] = "notice",
		 [KH_RPC_WARNING] = "warning", [KH_RPC_ERROR] = "error", [KH_RPC_CRITICAL] = "critical",
		 [KH_RPC_ALERT] = "alert", [KH_RPC_EMERGENCY] = "emergency");

const char *kh_rpc_level_name(enum kh_rpc_level level)
{
	return kh_words_name(&names, level);
}

int kh_rpc_level_find(struct kh_view name)
{
	unsigned level;

	return kh_words_parse(&names, name, &level) ? (int)level : -1;
}
