/* Messages of a call before its answer. */
#include "mcp/say.h"

#include "mcp/asked.h"

/* Returns the lowest level that the client wants to receive; past the last level: it wants none. */
static int wanted(const struct kh_mcp_exchange *x)
{
	if (kh_rpc_version_is_stateless(x->call.version))
		return x->log_level >= 0 ? x->log_level : KH_RPC_LEVELS;
	pthread_mutex_lock(&x->peer->lock);
	int level = x->peer->log_level;
	pthread_mutex_unlock(&x->peer->lock);
	return level;
}

void kh_mcp_say_log(struct kh_mcp_call *call, int level, struct kh_view text)
{
	if (level < wanted(call->exchange))
		return;
	yyjson_mut_val *params = yyjson_mut_obj(call->doc);
	yyjson_mut_obj_add_str(call->doc, params, "level", kh_rpc_level_name((enum kh_rpc_level)level));
	yyjson_mut_obj_add_str(call->doc, params, "logger", "keyhole");
	kh_json_add(call->doc, params, "data", text);
	kh_mcp_exchange_notify(call->exchange, "notifications/message", params);
}

void kh_mcp_say_progress(struct kh_mcp_call *call, int64_t progress, int64_t total)
{
	struct kh_mcp_exchange *x = call->exchange;

	if (x->progress_n == 0)
		return;
	yyjson_mut_val *params = yyjson_mut_obj(call->doc);
	yyjson_mut_obj_add_val(call->doc, params, "progressToken",
			       yyjson_mut_rawn(call->doc, x->progress_token, x->progress_n));
	yyjson_mut_obj_add_int(call->doc, params, "progress", progress);
	if (total > 0)
		yyjson_mut_obj_add_int(call->doc, params, "total", total);
	kh_mcp_exchange_notify(x, "notifications/progress", params);
}

bool kh_mcp_say_ask(struct kh_mcp_call *call, const char *method, yyjson_mut_val *params)
{
	return kh_mcp_asked_send(call->exchange, call->doc, method, params);
}

yyjson_val *kh_mcp_say_answer(struct kh_mcp_call *call)
{
	return kh_mcp_asked_take(call->exchange, call->arena);
}

void kh_mcp_say_rest(struct kh_mcp_call *call)
{
	struct kh_mcp_exchange *x = call->exchange;

	if (x->transport->rest != NULL)
		x->transport->rest(x);
}
