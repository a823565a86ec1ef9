/* Exchanges in their peer's list, and the messages that they send. */
#include "mcp/exchange.h"

#include "base/alloc.h"
#include "mcp/upstreams.h"

struct kh_mcp_exchange *kh_mcp_exchange_new(struct kh_mcp_peer *peer, void *ctx)
{
	struct kh_mcp_exchange *x = kh_alloc_zero(peer->mcp->alloc, sizeof(*x));

	if (x == NULL)
		return NULL;
	x->peer = kh_mcp_peer_hold(peer);
	x->transport = peer->transport;
	x->ctx = ctx;
	x->status = 200;
	x->log_level = -1;
	x->began = kh_works_now();
	pthread_mutex_init(&x->sending, NULL);
	kh_arena_init(&x->arena, peer->mcp->alloc, KH_MCP_EXCHANGE_ARENA);
	x->call = (struct kh_mcp_call){
		.gateway = peer->mcp->gateway,
		.token = peer->token,
		.who = &x->who,
		.arena = &x->arena,
		.err = &x->err,
		.work = &x->work,
		.exchange = x,
	};
	return x;
}

void kh_mcp_exchange_free(struct kh_mcp_exchange *x)
{
	if (x == NULL)
		return;
	struct kh_mcp_peer *peer = x->peer;
	if (x->batch_free != NULL)
		x->batch_free(x->batch);
	kh_arena_done(&x->arena);
	kh_mcp_upstreams_drop(x->upstreams);
	pthread_mutex_destroy(&x->sending);
	kh_alloc_free(peer->mcp->alloc, (void *)(uintptr_t)x->call.lasting.p, x->call.lasting.n);
	kh_alloc_free(peer->mcp->alloc, x, sizeof(*x));
	kh_mcp_peer_drop(peer);
}

/* --- a peer's list ------------------------------------------------------------------------------------------------ */

void kh_mcp_exchange_list(struct kh_mcp_exchange *x)
{
	struct kh_mcp_peer *peer = x->peer;

	x->prev = NULL;
	x->next = peer->running;
	if (x->next != NULL)
		x->next->prev = x;
	peer->running = x;
	peer->running_count++;
	x->listed = true;
}

void kh_mcp_exchange_unlist(struct kh_mcp_exchange *x)
{
	struct kh_mcp_peer *peer = x->peer;

	if (!x->listed)
		return;
	if (x->prev != NULL)
		x->prev->next = x->next;
	else
		peer->running = x->next;
	if (x->next != NULL)
		x->next->prev = x->prev;
	peer->running_count--;
	x->listed = false;
}

struct kh_mcp_exchange *kh_mcp_exchange_find(struct kh_mcp_peer *peer, struct kh_view id)
{
	for (struct kh_mcp_exchange *x = peer->running; x != NULL; x = x->next) {
		if (kh_view_eq(kh_view_of(x->id, x->id_n), id))
			return x;
	}
	return NULL;
}

void kh_mcp_exchange_stop(struct kh_mcp_exchange *x)
{
	atomic_store(&x->cancelled, true);
	kh_works_wake(&x->work);
}

void kh_mcp_exchange_cancel(struct kh_mcp_exchange *x)
{
	struct kh_mcp_peer *peer = x->peer;

	pthread_mutex_lock(&peer->lock);
	for (struct kh_mcp_exchange *each = peer->running; each != NULL; each = each->next) {
		if (each == x || (x->batch_free != NULL && each->batch == x->batch))
			kh_mcp_exchange_stop(each);
	}
	pthread_mutex_unlock(&peer->lock);
}

void kh_mcp_exchange_cancel_all(struct kh_mcp_peer *peer)
{
	pthread_mutex_lock(&peer->lock);
	peer->gone = true;
	for (struct kh_mcp_exchange *x = peer->running; x != NULL; x = x->next)
		kh_mcp_exchange_stop(x);
	pthread_mutex_unlock(&peer->lock);
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

void kh_mcp_exchange_send(struct kh_mcp_exchange *x, struct kh_view message)
{
	if (atomic_load(&x->cancelled))
		return;
	pthread_mutex_lock(&x->sending);
	x->transport->send(x, message, false);
	pthread_mutex_unlock(&x->sending);
}

void kh_mcp_exchange_notify(struct kh_mcp_exchange *x, const char *method, yyjson_mut_val *params)
{
	struct kh_view text;

	if (kh_rpc_call(&x->arena, x->call.doc, KH_LIT(""), method, params, &text) == KH_OK)
		kh_mcp_exchange_send(x, text);
}
