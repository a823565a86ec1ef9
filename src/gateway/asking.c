/*
 * A query, from admission to what its Controller is told.  What a Controller is told comes from query.look alone, and
 * leaves when a look at a moment of its own choosing would have said the same.
 */
#include "gateway/asking.h"

#include "engine/outbox.h"

static void copy(char to[KH_ASKING_ID], struct kh_view from)
{
	size_t n = from.n < KH_ASKING_ID ? from.n : KH_ASKING_ID - 1;

	if (n > 0)
		memcpy(to, from.p, n);
	to[n] = '\0';
}

static enum kh_work_next end(struct kh_asking *asking, enum kh_err result)
{
	asking->result = result;
	return KH_WORK_DONE;
}

/* Admits, and has the Reader asked: in the same operation where that takes no time (*RET_LOOKED: and *RET_LOOK is a
 * look at what came of it), by this thread where it takes little, else beside. */
static enum kh_err admit(struct kh_gateway *gateway, struct kh_asking *asking, struct kh_look *ret_look,
			 bool *ret_looked, struct kh_arena *arena, struct kh_error *err)
{
	struct kh_engine *engine = kh_gateway_engine(gateway);
	struct kh_admit call = {.query = asking->query, .at_once = true};
	enum kh_err e = kh_gateway_call(gateway, asking->token, kh_admit_run, &call, arena, err);

	if (e != KH_OK)
		return e;
	copy(asking->id, call.id);
	copy(asking->of, call.id);
	asking->advice = call.advice;
	asking->outcome = call.refused;
	*ret_look = call.look;
	*ret_looked = call.looked;
	if (call.refused != KH_OUTCOME_NONE || !call.ask.found)
		return KH_OK;
	const struct kh_reader *reader = kh_engine_reader(engine, call.row->reader);
	if (reader != NULL && reader->driver->pure) /* NULL: taken out of the configuration this very moment */
		return kh_outbox_ask(engine, &call.ask, arena, err);
	kh_gateway_ask(gateway, call.ask.effect, call.row->reader);
	return KH_OK;
}

/* The advice once more, for whoever had to wait: it follows from the query (B22). */
static struct kh_view advise(struct kh_arena *arena, struct kh_view body)
{
	struct kh_admit again = {0};
	struct kh_error err;

	if (kh_json_read(arena, body, &again.query, &err) != KH_OK)
		return (struct kh_view){NULL, 0};
	kh_admit_prepare(arena, &again);
	return again.read.e == KH_OK ? again.read.advice : (struct kh_view){NULL, 0};
}

/* Where a look of now is not yet an end: until when to wait for another. */
static bool waits(struct kh_gateway *gateway, struct kh_asking *asking, const struct kh_look *look, bool admitted_now,
		  struct kh_work *work)
{
	int64_t now = kh_works_now(), clock = kh_engine_now(kh_gateway_engine(gateway));

	if (look->outcome == KH_OUTCOME_PENDING ? !asking->waits_for_human : look->outcome != KH_OUTCOME_NONE)
		return false;
	/* A Reader was asked by this very step, and took longer than the caller would wait: were it told so at once, it
	 * would know to the microsecond how long.  It is told at the query's next slot (B17). */
	if (admitted_now && asking->until <= now)
		asking->until = now + (look->slot - clock);
	if (asking->until <= now || kh_works_is_stopping(kh_gateway_works(gateway)))
		return false;
	int64_t due = now + (look->due - clock);
	work->wake_at = look->due != 0 && due < asking->until ? due : asking->until;
	work->wake_chain = look->row->task;
	return true;
}

static enum kh_err look_at(struct kh_gateway *gateway, const struct kh_asking *asking, struct kh_look *look,
			   struct kh_arena *arena, struct kh_error *err)
{
	struct kh_view of = kh_view_str(asking->of);

	*look = (struct kh_look){0};
	if (kh_view_starts(of, KH_LIT("a")))
		look->approval = of;
	else
		look->query = of;
	return kh_gateway_call(gateway, asking->token, kh_look_run, look, arena, err);
}

static enum kh_work_next tell(struct kh_gateway *gateway, struct kh_asking *asking, const struct kh_look *look,
			      bool admitted_now, struct kh_arena *arena)
{
	asking->outcome = look->outcome;
	asking->approval = look->waits;
	asking->delivery = look->delivery;
	asking->block = look->block;
	asking->sources = look->sources;
	if (asking->id[0] != '\0' && !admitted_now)
		asking->advice = advise(arena, look->row->body);
	kh_gateway_told(gateway, look->outcome);
	return end(asking, kh_arena_check(arena));
}

enum kh_work_next kh_asking_step(struct kh_gateway *gateway, struct kh_asking *asking, struct kh_work *work,
				 struct kh_arena *arena, struct kh_error *err)
{
	bool first = !asking->begun, admits = first && asking->query != NULL;
	struct kh_look look;
	bool looked = false;
	enum kh_err e = KH_OK;

	asking->begun = true;
	if (first && asking->until == 0)
		asking->until = kh_works_now() + kh_gateway_wait(gateway);
	if (admits)
		e = admit(gateway, asking, &look, &looked, arena, err);
	asking->query = NULL;
	if (e == KH_OK && asking->outcome != KH_OUTCOME_NONE) { /* refused, and that is an outcome */
		kh_gateway_told(gateway, asking->outcome);
		return end(asking, KH_OK);
	}
	if (e == KH_OK && !looked)
		e = look_at(gateway, asking, &look, arena, err);
	if (e != KH_OK)
		return end(asking, e);
	if (look.outcome == KH_OUTCOME_PENDING && !asking->pending_seen) {
		asking->pending_seen = true;
		copy(asking->waits, look.waits);
	}
	return waits(gateway, asking, &look, admits, work) ? KH_WORK_WAIT : tell(gateway, asking, &look, admits, arena);
}
