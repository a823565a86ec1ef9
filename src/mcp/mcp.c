/* The server, its peers, and how a message is taken.  It is read on the thread that brings it, so that messages keep
 * their order.  If it is not a request that we know, it is answered on that thread. */
#include "mcp/mcp.h"

#include "base/alloc.h"
#include "mcp/asked.h"
#include "mcp/batch.h"
#include "mcp/modern.h"
#include "mcp/session.h"
#include "mcp/state.h"
#include "mcp/steps.h"
#include "mcp/upstreams.h"

enum kh_err kh_mcp_new(const struct kh_mcp_settings *settings, struct kh_mcp **ret_mcp, struct kh_error *err)
{
	const struct kh_alloc *alloc = kh_engine_alloc(kh_gateway_engine(settings->gateway));
	struct kh_mcp *mcp = kh_alloc_zero(alloc, sizeof(*mcp));

	if (mcp == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the MCP server");
	mcp->gateway = settings->gateway;
	mcp->alloc = alloc;
	pthread_mutex_init(&mcp->lock, NULL);
	kh_mcp_state_init(mcp);
	enum kh_err e = kh_mcp_offer_init(&mcp->offer, alloc, settings->parts, settings->part_count, err);
	mcp->approvals = kh_arena_dup(&mcp->offer.arena, settings->approvals);
	if (e == KH_OK && kh_arena_check(&mcp->offer.arena) != KH_OK)
		e = kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the MCP server");
	if (e != KH_OK) {
		kh_mcp_free(mcp);
		return e;
	}
	kh_mcp_upstreams_begin(mcp);
	*ret_mcp = mcp;
	return KH_OK;
}

void kh_mcp_free(struct kh_mcp *mcp)
{
	if (mcp == NULL)
		return;
	kh_mcp_upstreams_end(mcp);
	kh_mcp_state_done(mcp);
	kh_mcp_offer_done(&mcp->offer);
	pthread_mutex_destroy(&mcp->lock);
	kh_alloc_free(mcp->alloc, mcp, sizeof(*mcp));
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static bool refuse(struct kh_mcp_exchange *x, int number, unsigned status, const char *message)
{
	struct kh_rpc_fault fault = {.number = number, .status = status, .message = message};

	kh_mcp_steps_refuse(x, &fault);
	return true;
}

static bool is_crowded(struct kh_mcp_peer *peer)
{
	pthread_mutex_lock(&peer->lock);
	bool crowded = peer->running_count >= KH_MCP_RUNNING;
	pthread_mutex_unlock(&peer->lock);
	return crowded;
}

/* Takes a request.  False: the gateway is stopping, and X still belongs to the caller. */
static bool take_request(struct kh_mcp_exchange *x, const struct kh_rpc *rpc, const struct kh_mcp_headers *headers)
{
	x->method = kh_mcp_offer_method(&x->peer->mcp->offer, rpc->method);
	bool modern = kh_mcp_modern_is(x->method, rpc, headers);
	struct kh_rpc_fault fault = {0};
	struct kh_view progress = kh_rpc_token(&x->arena,
					       kh_json_get(kh_json_get(rpc->params, "_meta"), "progressToken"));

	x->call.arguments = rpc->params;
	if (progress.n > 0)
		memcpy(x->progress_token, progress.p, progress.n);
	x->progress_n = progress.n;
	if (!(modern ? kh_mcp_modern_check(x, rpc, headers, &fault) : kh_mcp_session_check(x, rpc, &fault))) {
		kh_mcp_steps_refuse(x, &fault);
		return true;
	}
	if (x->method == NULL || !(x->method->generations & (modern ? KH_MCP_MODERN : KH_MCP_LEGACY)))
		return refuse(x, KH_RPC_NO_METHOD, modern ? 404 : 200, "there is no such method");
	if (is_crowded(x->peer))
		return refuse(x, KH_RPC_INTERNAL, 200, "too many requests run at once: wait for some to end");
	return kh_mcp_steps_start(x);
}

static bool take_one(struct kh_mcp_exchange *x, yyjson_val *root, const struct kh_mcp_headers *headers)
{
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_rpc rpc;
	enum kh_err e = kh_rpc_read(root, &rpc, &err);
	struct kh_view id = kh_rpc_token(&x->arena, rpc.id);

	if (id.n > 0)
		memcpy(x->id, id.p, id.n);
	x->id_n = id.n;
	if (e == KH_OK && rpc.id != NULL && id.n == 0)
		return refuse(x, KH_RPC_INVALID, 400, "an id is a string of up to 128 bytes or an integer");
	if (e != KH_OK) {
		bool params = strcmp(err.code, "bad_params") == 0;
		return refuse(x, params ? KH_RPC_BAD_PARAMS : KH_RPC_INVALID, 400, err.detail);
	}
	if (rpc.kind == KH_RPC_REQUEST)
		return take_request(x, &rpc, headers);
	if (rpc.kind == KH_RPC_RESPONSE)
		kh_mcp_asked_respond(x->peer, &rpc, &x->arena);
	else
		kh_mcp_session_notice(x->peer, &rpc, &x->arena);
	kh_mcp_steps_nothing(x);
	return true;
}

/* Takes one message of a batch.  Its values live in the whole's arena, so a part gets its own copy. */
static bool take_part(struct kh_mcp_batch *batch, yyjson_val *root, struct kh_arena *arena)
{
	struct kh_mcp_exchange *part = kh_mcp_batch_add(batch);
	yyjson_mut_doc *doc = part != NULL ? kh_json_new(arena) : NULL;
	yyjson_mut_val *copy = doc != NULL ? yyjson_val_mut_copy(doc, root) : NULL;
	yyjson_val *own = NULL;

	if (part == NULL)
		return false;
	if (copy == NULL || kh_json_freeze(&part->arena, copy, &own, NULL) != KH_OK)
		return refuse(part, KH_RPC_INTERNAL, 500, "out of memory");
	if (!take_one(part, own, NULL))
		return refuse(part, KH_RPC_INTERNAL, 503, "the gateway is stopping");
	return true;
}

static bool take_batch(struct kh_mcp_exchange *whole, yyjson_val *root)
{
	struct kh_mcp_peer *peer = whole->peer;
	struct kh_arena arena;
	yyjson_val *item;

	pthread_mutex_lock(&peer->lock);
	bool allowed = peer->version == KH_MCP_2025_03_26;
	pthread_mutex_unlock(&peer->lock);
	if (!allowed || yyjson_arr_size(root) == 0)
		return refuse(whole, KH_RPC_INVALID, 400,
			      allowed ? "a batch has one message at least"
				      : "batches are of version 2025-03-26 alone, after `initialize`");
	if (yyjson_arr_size(root) > KH_MCP_BATCH_MESSAGES)
		return refuse(whole, KH_RPC_INVALID, 400, "a batch has at most 64 messages");
	if (!kh_mcp_batch_begin(whole))
		return false;
	struct kh_mcp_batch *batch = whole->batch;
	kh_arena_init(&arena, peer->mcp->alloc, KH_MCP_EXCHANGE_ARENA);
	yyjson_arr_iter iter = yyjson_arr_iter_with(root);
	bool complete = true;
	while (complete && (item = yyjson_arr_iter_next(&iter)) != NULL) {
		complete = take_part(batch, item, &arena);
		kh_arena_clear(&arena);
	}
	kh_arena_done(&arena);
	kh_mcp_batch_begun(batch, complete);
	return true;
}

struct kh_mcp_exchange *kh_mcp_take(struct kh_mcp_peer *peer, void *ctx, struct kh_view message,
				    const struct kh_mcp_headers *headers)
{
	struct kh_mcp_exchange *x = kh_mcp_exchange_new(peer, ctx);
	struct kh_error err = {.offset = SIZE_MAX};
	yyjson_val *root = NULL;
	bool taken;

	if (x == NULL)
		return NULL;
	enum kh_err e = message.n <= KH_MCP_MESSAGE ? kh_json_read(&x->arena, message, &root, &err) : KH_ELIMIT;
	if (message.n > KH_MCP_MESSAGE)
		taken = refuse(x, KH_RPC_INVALID, 413, "a message has at most 4 MiB");
	else if (e == KH_ENOMEM)
		taken = false;
	else if (e != KH_OK)
		taken = refuse(x, KH_RPC_PARSE, 400, err.detail);
	else
		taken = yyjson_is_arr(root) ? take_batch(x, root) : take_one(x, root, headers);
	if (taken)
		return x;
	kh_mcp_exchange_free(x);
	return NULL;
}
