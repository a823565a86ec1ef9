/* The steps of an exchange.  The last step takes the exchange out of its peer's list before it sends the answer:
 * after that nobody wakes it, and once the answer is sent it belongs to the transport. */
#include "mcp/steps.h"

#include "mcp/asked.h"
#include "mcp/elicit.h"
#include "mcp/listen.h"
#include "mcp/modern.h"
#include "mcp/progress.h"

/* Ends X with the answer TEXT (empty: none).  X may have been freed afterwards. */
static void leave(struct kh_mcp_exchange *x, struct kh_view text)
{
	if (x->progress != NULL)
		kh_mcp_progress_end(x);
	if (x->listens.filter != 0)
		kh_mcp_listen_end(x);
	pthread_mutex_lock(&x->peer->lock);
	if (x->asked != 0)
		kh_mcp_asked_forget(x);
	kh_mcp_exchange_unlist(x);
	pthread_mutex_unlock(&x->peer->lock);
	x->transport->send(x, text, true);
}

void kh_mcp_steps_nothing(struct kh_mcp_exchange *x)
{
	x->status = 202;
	leave(x, KH_LIT(""));
}

void kh_mcp_steps_refuse(struct kh_mcp_exchange *x, const struct kh_rpc_fault *fault)
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

	if (x->asked != 0)
		kh_mcp_asked_withdraw(x);
	if (answer->fault.number == 0 && answer->e != KH_OK)
		answer->fault = kh_rpc_failed(x->call.doc, &x->arena, answer->e, &x->err);
	if (answer->fault.number != 0) {
		kh_mcp_steps_refuse(x, &answer->fault);
		return;
	}
	if (kh_rpc_version_is_stateless(x->call.version))
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
	x->err = (struct kh_error){.offset = SIZE_MAX};
	x->call.doc = kh_json_new(&x->arena);
	x->call.stopping = kh_works_is_stopping(kh_gateway_works(x->call.gateway));
}

static enum kh_work_next park(struct kh_mcp_exchange *x)
{
	x->call.arguments = x->call.inputs = x->bound = NULL;
	x->call.state = (struct kh_view){NULL, 0};
	kh_arena_done(&x->arena);
	kh_arena_init(&x->arena, x->peer->mcp->alloc, KH_MCP_EXCHANGE_ARENA);
	return KH_WORK_WAIT;
}

/* Finds out who calls.  If an operation follows, which checks the token itself, a remembered owner of the token is
 * enough; else the store is asked now. */
static enum kh_err identify(struct kh_mcp_exchange *x)
{
	struct kh_mcp_peer *peer = x->peer;
	bool operates = x->method->operates;

	if (x->who.token != 0)
		return KH_OK;
	pthread_mutex_lock(&peer->lock);
	if (operates)
		x->who = peer->who;
	pthread_mutex_unlock(&peer->lock);
	if (x->who.token != 0)
		return KH_OK;
	enum kh_err e = kh_gateway_who(x->call.gateway, peer->token, !operates, &x->who, &x->err);
	if (e != KH_OK)
		return e;
	pthread_mutex_lock(&peer->lock);
	peer->who = x->who;
	pthread_mutex_unlock(&peer->lock);
	return KH_OK;
}

static enum kh_work_next step(struct kh_work *work)
{
	struct kh_mcp_exchange *x = (struct kh_mcp_exchange *)work;
	struct kh_mcp_answer answer = {.e = KH_OK};
	enum kh_work_next next = KH_WORK_DONE;

	if (atomic_load(&x->cancelled)) {
		kh_mcp_steps_nothing(x);
		return KH_WORK_DONE;
	}
	prepare(x);
	answer.e = identify(x);
	if (answer.e == KH_OK && x->method->answer != NULL)
		answer.e = x->method->answer(&x->call, &answer.result);
	else if (answer.e == KH_OK)
		next = x->method->run(&x->call, &answer);
	if (next == KH_WORK_WAIT && x->call.approval[0] != '\0' && kh_mcp_elicit_tell(x, &answer))
		next = KH_WORK_DONE;
	if (next == KH_WORK_WAIT && !x->call.stopping) {
		/* A client that can show its user nothing is never asked, so nothing is bound to its arguments. */
		answer.e = x->call.can != 0 ? kh_mcp_elicit_bind(x) : KH_OK;
		if (answer.e == KH_OK)
			return park(x);
	} else if (next == KH_WORK_WAIT)
		answer.e = kh_error_set(&x->err, KH_ESTORE, "stopping", "the gateway is stopping; call again");
	finish(x, &answer);
	return KH_WORK_DONE;
}

bool kh_mcp_steps_start(struct kh_mcp_exchange *x)
{
	struct kh_mcp_peer *peer = x->peer;

	x->work.step = step;
	if (x->progress_n > 0)
		kh_mcp_progress_begin(x);
	/* The lock is held, so that nobody finds it in the list before it can be woken. */
	pthread_mutex_lock(&peer->lock);
	kh_mcp_exchange_list(x);
	if (peer->gone)
		atomic_store(&x->cancelled, true);
	struct kh_works *works = kh_gateway_works(peer->mcp->gateway);
	bool here = peer->transport->in_steps;
	bool added = here ? kh_works_begin(works, &x->work) : kh_works_add(works, &x->work);
	if (!added)
		kh_mcp_exchange_unlist(x);
	pthread_mutex_unlock(&peer->lock);
	if (added && here)
		kh_works_go(&x->work);
	else if (!added && x->progress != NULL)
		kh_mcp_progress_end(x);
	return added;
}
