/* An external operation, from the call to what its Controller is told.  That comes only from comm.look. */
#include "gateway/operating.h"

#include "engine/deciding.h"
#include "gateway/dispatch.h"
#include "gateway/turns.h"

static enum kh_work_next end(struct kh_operating *operating, enum kh_err result)
{
	operating->result = result;
	return KH_WORK_DONE;
}

/*
 * Decides, and hands what may run to the dispatch pool.  A model that verifies takes time too; in that case the whole
 * call goes to the pool, and this function only looks at the result.  If others of the same token are being decided, so
 * that the context changes under the call, it is queued there and decided in turn.
 */
static enum kh_err call(struct kh_gateway *gateway, struct kh_operating *operating, struct kh_arena *arena,
			struct kh_error *err)
{
	struct kh_comm_call call = {
		.task = operating->task,
		.declaration = kh_view_str(operating->of),
		.declare = operating->declare,
		.hosts = operating->hosts,
		.fenced = operating->fenced,
	};
	operating->came = kh_works_now();
	struct kh_dispatch *dispatch = kh_gateway_dispatch(gateway);
	bool queues = kh_dispatch_queues(dispatch, operating->token);
	enum kh_err e = queues ? KH_OK
			       : kh_deciding_try(kh_gateway_engine(gateway), operating->token, &call, arena, err);

	operating->inspected = queues || call.inspected;
	if (e != KH_OK)
		return e;
	if (queues || call.next == KH_CALL_AGAIN)
		return kh_dispatch_queue(dispatch, operating->token, &call, &operating->ticket, err);
	operating->look = call.look;
	kh_asking_keep(operating->of, call.look.id);
	struct kh_entry entry = kh_outbox_of_call(operating->token, &call);
	return entry.kind != KH_ENTRY_NONE ? kh_dispatch_put(dispatch, &entry, err) : KH_OK;
}

static enum kh_err look(struct kh_gateway *gateway, struct kh_operating *operating, struct kh_arena *arena,
			struct kh_error *err)
{
	struct kh_comm_looking looking = {.declaration = kh_view_str(operating->of)};
	kh_engine_fn *fn = kh_deciding_look(operating->hosts);
	enum kh_err e = kh_gateway_call(gateway, operating->token, fn, &looking, arena, err);

	if (e == KH_OK)
		operating->look = looking.look;
	return e;
}

/* Takes what was decided when the call's turn came.  False: its turn has not come, and WORK is woken when it has. */
static bool take_turn(struct kh_gateway *gateway, struct kh_operating *operating, struct kh_work *work,
		      enum kh_err *ret_e, struct kh_error *err)
{
	struct kh_turns_result turn;

	if (!kh_turns_take(kh_dispatch_turns(kh_gateway_dispatch(gateway)), operating->ticket, &turn)) {
		work->wake_chain = kh_turns_chain(operating->ticket);
		return false;
	}
	operating->ticket = 0;
	if (turn.e == KH_OK)
		kh_asking_keep(operating->of, kh_view_str(turn.id));
	else
		*err = turn.err;
	*ret_e = turn.e;
	return true;
}

/* A human has decided, as far as this look shows: the call can go on. */
static bool is_free(const struct kh_operating *operating)
{
	return operating->look.row->state == KH_DECLARATION_DECLARED;
}

/* Whether there is a reason to go on waiting, and until when. */
static bool waits(struct kh_gateway *gateway, struct kh_operating *operating, struct kh_work *work)
{
	if (operating->inspected) {
		int64_t slot = kh_waiting_slot(kh_gateway_engine(gateway), operating->came);
		if (slot > operating->waiting.until)
			operating->waiting.until = slot;
		operating->slot = slot;
		operating->inspected = false;
	}
	/* K11: the host runs it, as soon as it is told so. */
	if (operating->hosts && operating->look.row->state == KH_DECLARATION_RUNNING)
		operating->waiting.until = operating->slot;
	if (!kh_waiting_call(kh_gateway_engine(gateway), &operating->waiting, &operating->look) ||
	    kh_works_is_stopping(kh_gateway_works(gateway)))
		return false;
	work->wake_at = operating->waiting.at;
	work->wake_chain = operating->waiting.chain;
	return true;
}

/*
 * While a human decides, only a fixed clock says when to look.  A step that comes earlier for another reason does
 * nothing.
 */
static bool is_early(struct kh_gateway *gateway, const struct kh_operating *operating, struct kh_work *work)
{
	const struct kh_waiting *waiting = &operating->waiting;

	if (waiting->chain != 0 || kh_works_now() >= waiting->at || kh_works_now() >= waiting->until ||
	    kh_works_is_stopping(kh_gateway_works(gateway)))
		return false;
	work->wake_at = waiting->at;
	return true;
}

enum kh_work_next kh_operating_step(struct kh_gateway *gateway, struct kh_operating *operating, struct kh_work *work,
				    struct kh_arena *arena, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	if (operating->kept.until != 0 && kh_asking_holds(gateway, &operating->kept, work))
		return KH_WORK_WAIT;
	if (operating->kept.until != 0) {
		*err = operating->kept.err;
		return end(operating, operating->kept.e);
	}
	if (!operating->begun) {
		operating->begun = true;
		if (operating->waiting.until == 0)
			operating->waiting.until = kh_works_now() + kh_gateway_wait(gateway);
		e = call(gateway, operating, arena, err);
	} else {
		bool decided = operating->ticket != 0;
		if (decided && !take_turn(gateway, operating, work, &e, err))
			return KH_WORK_WAIT;
		if (!decided && is_early(gateway, operating, work))
			return KH_WORK_WAIT;
		if (e == KH_OK)
			e = look(gateway, operating, arena, err);
		if (e == KH_OK && is_free(operating) &&
		    !kh_dispatch_has(kh_gateway_dispatch(gateway), operating->look.row->id))
			e = call(gateway, operating, arena, err);
	}
	operating->declare = NULL;
	operating->task = (struct kh_view){NULL, 0};
	if (e == KH_OK && operating->ticket != 0) {
		work->wake_chain = kh_turns_chain(operating->ticket);
		return KH_WORK_WAIT;
	}
	if (e != KH_OK && e != KH_ESTORE && operating->inspected &&
	    kh_asking_hold(gateway, &operating->kept, operating->came, work, e, err))
		return KH_WORK_WAIT;
	if (e != KH_OK)
		return kh_asking_again(gateway, operating->of, &operating->waiting, e, work, err) ? KH_WORK_WAIT
												  : end(operating, e);
	kh_asking_keep(operating->waits, operating->look.approval);
	return waits(gateway, operating, work) ? KH_WORK_WAIT : end(operating, KH_OK);
}
