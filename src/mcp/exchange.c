/*
 * The steps of an exchange.  A step that ends one takes it out of its peer's list before the answer leaves: after that
 * nobody wakes it, and with the answer it is the transport's.
 */
#include "mcp/exchange.h"

#include "mcp/asked.h"
#include "mcp/batch.h"
#include "mcp/elicit.h"
#include "mcp/listen.h"
#include "mcp/methods.h"
#include "mcp/modern.h"
#include "mcp/progress.h"

static enum kh_work_next step(struct kh_work *work);

struct kh_mcp_exchange *kh_mcp_exchange_new(struct kh_mcp_peer *peer, void *ctx)
{
	struct kh_mcp_exchange *x = kh_alloc_zero(peer->mcp->alloc, sizeof(*x));

	if (x == NULL)
		return NULL;
	x->work.step = step;
	x->peer = kh_mcp_peer_hold(peer);
	x->ctx = ctx;
	x->status = 200;
	x->log_level = -1;
	x->began = kh_works_now();
	kh_arena_init(&x->arena, peer->mcp->alloc, KH_MCP_EXCHANGE_ARENA);
	return x;
}

void kh_mcp_exchange_free(struct kh_mcp_exchange *x)
{
	if (x == NULL)
		return;
	struct kh_mcp_peer *peer = x->peer;
	if (x->whole)
		kh_mcp_batch_free(x->batch);
	kh_arena_done(&x->arena);
	kh_alloc_free(peer->mcp->alloc, (void *)(uintptr_t)x->call.lasting.p, x->call.lasting.n);
	kh_alloc_free(peer->mcp->alloc, x, sizeof(*x));
	kh_mcp_peer_drop(peer);
}

void *kh_mcp_exchange_ctx(const struct kh_mcp_exchange *x)
{
	return x->ctx;
}

struct kh_mcp_peer *kh_mcp_exchange_peer(const struct kh_mcp_exchange *x)
{
	return x->peer;
}

unsigned kh_mcp_exchange_status(const struct kh_mcp_exchange *x)
{
	return x->status;
}

bool kh_mcp_exchange_is_initialize(const struct kh_mcp_exchange *x)
{
	return x->is_initialize;
}

/* --- the list of a peer's ----------------------------------------------------------------------------------------- */

static void list(struct kh_mcp_exchange *x)
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

static void unlist(struct kh_mcp_exchange *x)
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

bool kh_mcp_exchange_start(struct kh_mcp_exchange *x)
{
	struct kh_mcp_peer *peer = x->peer;

	kh_mcp_progress_begin(x);
	/* Under the lock: nobody finds it in the list who could not wake it. */
	pthread_mutex_lock(&peer->lock);
	list(x);
	if (peer->gone)
		atomic_store(&x->cancelled, true);
	struct kh_works *works = kh_gateway_works(peer->mcp->gateway);
	bool here = peer->transport->in_steps;
	bool added = here ? kh_works_begin(works, &x->work) : kh_works_add(works, &x->work);
	if (!added)
		unlist(x);
	pthread_mutex_unlock(&peer->lock);
	if (!added)
		kh_mcp_progress_end(x);
	else if (here)
		kh_works_go(&x->work);
	return added;
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
		if (each == x || (x->whole && each->batch == x->batch))
			kh_mcp_exchange_stop(each);
	}
	pthread_mutex_unlock(&peer->lock);
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

void kh_mcp_exchange_send(struct kh_mcp_exchange *x, struct kh_view message)
{
	kh_mcp_progress_hold(x);
	kh_mcp_exchange_put(x, message);
	kh_mcp_progress_release(x);
}

void kh_mcp_exchange_put(struct kh_mcp_exchange *x, struct kh_view message)
{
	if (atomic_load(&x->cancelled))
		return;
	if (x->batch != NULL)
		kh_mcp_batch_send(x->batch, message);
	else
		x->peer->transport->send(x, message, false);
}

/* The end of X: TEXT, empty for none, is its answer.  X may be gone afterwards. */
static void leave(struct kh_mcp_exchange *x, struct kh_view text)
{
	kh_mcp_progress_end(x);
	kh_mcp_listen_end(x);
	pthread_mutex_lock(&x->peer->lock);
	kh_mcp_asked_forget(x);
	unlist(x);
	pthread_mutex_unlock(&x->peer->lock);
	if (x->batch != NULL)
		kh_mcp_batch_part(x, text);
	else
		x->peer->transport->send(x, text, true);
}

void kh_mcp_exchange_nothing(struct kh_mcp_exchange *x)
{
	x->status = 202;
	leave(x, KH_LIT(""));
}

void kh_mcp_exchange_refuse(struct kh_mcp_exchange *x, const struct kh_rpc_fault *fault)
{
	yyjson_mut_doc *doc = kh_json_new(&x->arena);
	struct kh_view id = kh_view_of(x->id, x->id_n), text;
	char bytes[1024];

	x->status = fault->status != 0 ? fault->status : 200;
	if (kh_rpc_error(&x->arena, doc, id, fault, &text) != KH_OK) {
		text = kh_rpc_last_resort(bytes, sizeof(bytes), id);
		x->status = 500;
	}
	leave(x, text);
}

static void finish(struct kh_mcp_exchange *x, struct kh_mcp_answer *answer)
{
	struct kh_view id = kh_view_of(x->id, x->id_n), text;
	char bytes[1024];

	kh_mcp_asked_withdraw(x);
	if (answer->fault.number == 0 && answer->e != KH_OK)
		answer->fault = kh_rpc_failed(x->call.doc, &x->arena, answer->e, &x->err);
	if (answer->fault.number != 0) {
		kh_mcp_exchange_refuse(x, &answer->fault);
		return;
	}
	if (kh_rpc_version_is_stateless(x->version))
		kh_mcp_modern_dress(x, answer->result);
	if (kh_rpc_result(&x->arena, x->call.doc, id, answer->result, &text) != KH_OK) {
		text = kh_rpc_last_resort(bytes, sizeof(bytes), id);
		x->status = 500;
	}
	leave(x, text);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static void prepare(struct kh_mcp_exchange *x)
{
	struct kh_gateway *gateway = x->peer->mcp->gateway;

	x->err = (struct kh_error){.offset = SIZE_MAX};
	x->call.gateway = gateway;
	x->call.token = x->peer->token;
	x->call.who = &x->who;
	x->call.arguments = x->params;
	x->call.arena = &x->arena;
	x->call.doc = kh_json_new(&x->arena);
	x->call.err = &x->err;
	x->call.work = &x->work;
	x->call.stopping = kh_works_is_stopping(kh_gateway_works(gateway));
	x->call.exchange = x;
	x->call.version = x->version;
	x->call.can = x->can;
}

static enum kh_work_next park(struct kh_mcp_exchange *x)
{
	x->params = x->call.inputs = NULL;
	x->call.state = (struct kh_view){NULL, 0};
	kh_arena_done(&x->arena);
	kh_arena_init(&x->arena, x->peer->mcp->alloc, KH_MCP_EXCHANGE_ARENA);
	return KH_WORK_WAIT;
}

static enum kh_err identify(struct kh_mcp_exchange *x)
{
	if (x->begun)
		return KH_OK;
	enum kh_err e = kh_gateway_who(x->peer->mcp->gateway, x->peer->token, !x->method->operates, &x->who, &x->err);
	x->begun = e == KH_OK;
	return e;
}

static enum kh_work_next step(struct kh_work *work)
{
	struct kh_mcp_exchange *x = (struct kh_mcp_exchange *)work;
	struct kh_mcp_answer answer = {.e = KH_OK};
	enum kh_work_next next = KH_WORK_DONE;

	if (atomic_load(&x->cancelled)) {
		kh_mcp_exchange_nothing(x);
		return KH_WORK_DONE;
	}
	prepare(x);
	answer.e = identify(x);
	if (answer.e == KH_OK)
		next = x->method->run(&x->call, &answer);
	if (next == KH_WORK_WAIT && kh_mcp_elicit_tell(x, &answer))
		next = KH_WORK_DONE;
	if (next == KH_WORK_WAIT && !x->call.stopping)
		return park(x);
	if (next == KH_WORK_WAIT)
		answer.e = kh_error_set(&x->err, KH_ESTORE, "stopping", "the gateway is stopping; call again");
	finish(x, &answer);
	return KH_WORK_DONE;
}
