/*
 * An external operation, from the call to what its Controller is told.  What is told comes from comm.look alone.
 */
#include "gateway/operating.h"

#include "engine/comm/call.h"
#include "engine/comm/look.h"
#include "engine/deciding.h"
#include "gateway/errands.h"

#define CLOCK INT64_C(5000000) /* microseconds between two looks at whether a human has decided */

static void copy(char to[KH_ASKING_ID], struct kh_view from)
{
	size_t n = from.n < KH_ASKING_ID ? from.n : KH_ASKING_ID - 1;

	if (n > 0)
		memcpy(to, from.p, n);
	to[n] = '\0';
}

static enum kh_work_next end(struct kh_operating *acting, enum kh_err result)
{
	acting->result = result;
	return KH_WORK_DONE;
}

/*
 * Decides, and has what may run carried out beside.  A model that verifies takes its time too: the whole call goes to
 * the pool of errands then, and this one looks what came of it.
 */
static enum kh_err call(struct kh_gateway *gateway, struct kh_operating *acting, struct kh_arena *arena,
			struct kh_error *err)
{
	struct kh_comm_call act = {
		.task = acting->task,
		.declaration = kh_view_str(acting->of),
		.declare = acting->declare,
		.fenced = acting->fenced,
	};
	enum kh_err e = kh_deciding_run(kh_gateway_engine(gateway), acting->token, &act, arena, err);

	if (e != KH_OK)
		return e;
	acting->look = act.look;
	copy(acting->of, act.look.id);
	if (act.next == KH_CALL_RUNS || act.next == KH_CALL_TRIAGE)
		e = kh_errands_put(kh_gateway_errands(gateway), acting->token, &act, err);
	return e;
}

static enum kh_err look(struct kh_gateway *gateway, struct kh_operating *acting, struct kh_arena *arena,
			struct kh_error *err)
{
	struct kh_comm_looking looking = {.declaration = kh_view_str(acting->of)};
	enum kh_err e = kh_gateway_call(gateway, acting->token, kh_comm_look_run, &looking, arena, err);

	if (e == KH_OK)
		acting->look = looking.look;
	return e;
}

/* A human has decided, as far as can be seen: the call goes on where it was. */
static bool is_free(const struct kh_operating *acting)
{
	return acting->look.row->state == KH_DECLARATION_DECLARED;
}

/* Whether there is a reason to wait on, and until when. */
static bool waits(struct kh_gateway *gateway, struct kh_operating *acting, struct kh_work *work)
{
	int64_t now = kh_works_now(), clock = kh_engine_now(kh_gateway_engine(gateway)), at = acting->until;

	if (acting->look.ended != KH_ENDED_NOT || now >= acting->until ||
	    kh_works_is_stopping(kh_gateway_works(gateway)))
		return false;
	acting->human = acting->look.approval.n > 0;
	if (acting->human) { /* on a clock of the call's own: when a human decided is not to be seen in it */
		acting->look_at = now + CLOCK;
		at = acting->look_at;
	} else if (acting->look.due != 0) {
		at = now + (acting->look.due - clock);
	}
	work->wake_at = at < acting->until ? at : acting->until;
	work->wake_chain = acting->human ? 0 : acting->look.row->task;
	return true;
}

/* A step that comes too early, for no reason of this call, looks at nothing. */
static bool is_early(struct kh_gateway *gateway, const struct kh_operating *acting, struct kh_work *work)
{
	int64_t now = kh_works_now();

	if (!acting->human || now >= acting->look_at || now >= acting->until ||
	    kh_works_is_stopping(kh_gateway_works(gateway)))
		return false;
	work->wake_at = acting->look_at < acting->until ? acting->look_at : acting->until;
	return true;
}

enum kh_work_next kh_operating_step(struct kh_gateway *gateway, struct kh_operating *acting, struct kh_work *work,
				    struct kh_arena *arena, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	if (!acting->begun) {
		acting->begun = true;
		if (acting->until == 0)
			acting->until = kh_works_now() + kh_gateway_wait(gateway);
		e = call(gateway, acting, arena, err);
	} else {
		if (is_early(gateway, acting, work))
			return KH_WORK_WAIT;
		e = look(gateway, acting, arena, err);
		if (e == KH_OK && is_free(acting) && !kh_errands_has(kh_gateway_errands(gateway), acting->look.row->id))
			e = call(gateway, acting, arena, err);
	}
	acting->declare = NULL;
	acting->task = (struct kh_view){NULL, 0};
	if (e != KH_OK)
		return end(acting, e);
	copy(acting->waits, acting->look.approval);
	return waits(gateway, acting, work) ? KH_WORK_WAIT : end(acting, KH_OK);
}
