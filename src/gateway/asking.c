/*
 * A query, from admission to what its Controller is told.  That comes only from query.look.  The answer leaves only
 * when a look that the Controller made at a time of its own choosing would have said the same.
 */
#include "gateway/asking.h"

#include "engine/engine.h"
#include "engine/query/intake.h"
#include "gateway/dispatch.h"

#define AGAIN  INT64_C(200000)     /* microseconds until a store that failed is asked again */
#define LITTLE ((size_t)256 << 10) /* bytes of content that a caller's thread asks a Reader about itself */

void kh_asking_keep(char to[KH_ASKING_ID], struct kh_view id)
{
	size_t n = id.n < KH_ASKING_ID ? id.n : KH_ASKING_ID - 1;

	if (n > 0)
		memcpy(to, id.p, n);
	to[n] = '\0';
}

bool kh_asking_again(struct kh_gateway *gateway, const char of[KH_ASKING_ID], const struct kh_waiting *waiting,
		     enum kh_err e, struct kh_work *work, struct kh_error *err)
{
	struct kh_view code = kh_view_str(err->code != NULL ? err->code : "");
	bool passes = kh_view_eq(code, KH_LIT("store_full")) || kh_view_eq(code, KH_LIT("store_busy"));

	if (e != KH_ESTORE || of[0] == '\0' || !(passes || kh_view_eq(code, KH_LIT("store_failed"))))
		return false;
	work->wake_at = kh_works_now() + AGAIN;
	if (passes && work->wake_at < waiting->until && !kh_works_is_stopping(kh_gateway_works(gateway)))
		return true;
	kh_error_set(err, e, "outcome_unrecorded",
		     "%s was begun, and what came of it cannot be recorded now (%s): ask again", of, code.p);
	return false;
}

bool kh_asking_holds(struct kh_gateway *gateway, const struct kh_asking_kept *kept, struct kh_work *work)
{
	if (kh_works_now() >= kept->until || kh_works_is_stopping(kh_gateway_works(gateway)))
		return false;
	work->wake_at = kept->until;
	return true;
}

bool kh_asking_hold(struct kh_gateway *gateway, struct kh_asking_kept *kept, int64_t came, struct kh_work *work,
		    enum kh_err e, const struct kh_error *err)
{
	*kept = (struct kh_asking_kept){
		.until = kh_waiting_slot(kh_gateway_engine(gateway), came), .e = e, .err = *err};
	return kh_asking_holds(gateway, kept, work);
}

static enum kh_work_next end(struct kh_asking *asking, enum kh_err result)
{
	asking->result = result;
	return KH_WORK_DONE;
}

/* Whether a caller's thread may ask a pure Reader this: with more content, one token could occupy all threads. */
static bool is_little(const struct kh_reader_ask *ask)
{
	size_t left = LITTLE;

	for (size_t i = 0; i < ask->block_count; i++) {
		size_t size = kh_tainted_size(ask->blocks[i].content);
		if (size > left)
			return false;
		left -= size;
	}
	return true;
}

/*
 * Admits the query and has the Reader asked.  If that takes no time, it happens in the same operation, and *RET_LOOKED
 * says that *RET_LOOK is a look at the result.  If it takes little time, this thread does it; else the dispatch pool
 * does.
 */
static enum kh_err admit(struct kh_gateway *gateway, struct kh_asking *asking, struct kh_look *ret_look,
			 bool *ret_looked, bool *ret_inspected, struct kh_arena *arena, struct kh_error *err)
{
	struct kh_engine *engine = kh_gateway_engine(gateway);
	struct kh_admit call = {.query = asking->query, .at_once = true};
	enum kh_err e = kh_engine_call(engine, asking->token, kh_admit_run, &call, arena, err);

	if (e == KH_ENOMEM)
		return kh_error_set(err, e, "out_of_memory", "out of memory");
	*ret_inspected = call.inspected;
	if (e != KH_OK)
		return e;
	kh_asking_keep(asking->id, call.id);
	kh_asking_keep(asking->of, call.id);
	asking->told.advice = call.advice;
	asking->advised = call.read.advised;
	asking->told.outcome = call.refused;
	asking->told.why = call.why;
	asking->told.query = kh_view_str(asking->id);
	*ret_look = call.look;
	*ret_looked = call.looked;
	if (call.refused != KH_OUTCOME_NONE || !call.ask.found)
		return KH_OK;
	struct kh_entry entry = kh_outbox_of_ask(&call.ask);
	const struct kh_reader *reader = kh_engine_reader(engine, entry.reader);
	/* NULL: it was just removed from the configuration. */
	if (reader != NULL && reader->driver->pure && is_little(&call.ask.ask))
		return kh_outbox_run(engine, &entry, arena, err);
	return kh_dispatch_put(kh_gateway_dispatch(gateway), &entry, err);
}

/* Makes the advice again for a caller that had to wait: it follows from the query (B22). */
static struct kh_view advise(const struct kh_asking *asking, struct kh_arena *arena, struct kh_view body)
{
	struct kh_admit again = {0};
	struct kh_error err;

	if (!asking->advised)
		return KH_ADMIT_NO_ADVICE;
	if (kh_json_read(arena, body, &again.query, &err) != KH_OK)
		return (struct kh_view){NULL, 0};
	return kh_intake_read(arena, &again) == KH_OK && again.read.e == KH_OK ? again.read.advice
									       : (struct kh_view){NULL, 0};
}

/* Whether this look is not final yet; if so, sets until when the work waits for the next. */
static bool waits(struct kh_gateway *gateway, struct kh_asking *asking, const struct kh_look *look, bool admitted_now,
		  struct kh_work *work)
{
	asking->waiting.here = admitted_now;
	if (!kh_waiting_query(kh_gateway_engine(gateway), &asking->waiting, look) ||
	    kh_works_is_stopping(kh_gateway_works(gateway)))
		return false;
	work->wake_at = asking->waiting.at;
	work->wake_chain = asking->waiting.chain;
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
	struct kh_view advice = asking->told.advice;

	if (asking->id[0] != '\0' && !admitted_now)
		advice = advise(asking, arena, look->row->body);
	asking->told = (struct kh_render_query){
		.outcome = look->outcome,
		.query = asking->of[0] == 'q' ? kh_view_str(asking->of) : KH_LIT(""),
		.approval = look->waits,
		.block = look->block,
		.delivery = look->delivery,
		.sources = look->sources,
		.advice = advice,
	};
	asking->taint = look->taint;
	kh_gateway_told(gateway, look->outcome);
	return end(asking, kh_arena_check(arena));
}

/* The sentence of a refusal that is an outcome is kept like that of an error. */
static bool hold(struct kh_gateway *gateway, struct kh_asking *asking, struct kh_work *work, enum kh_err e,
		 const struct kh_error *err)
{
	struct kh_error why = *err;

	if (e == KH_OK)
		kh_error_set(&why, KH_EREFUSED, "budget_exceeded", "%.*s", KH_FMT(asking->told.why));
	return kh_asking_hold(gateway, &asking->kept, asking->came, work, e, &why);
}

/* What was kept is told. */
static enum kh_work_next refuse(struct kh_gateway *gateway, struct kh_asking *asking, struct kh_error *err)
{
	if (asking->kept.e != KH_OK) {
		*err = asking->kept.err;
		return end(asking, asking->kept.e);
	}
	asking->told.why = kh_view_str(asking->told.why.n > 0 ? asking->kept.err.detail : "");
	asking->told.advice = KH_ADMIT_NO_ADVICE; /* it was in the memory of the first step */
	kh_gateway_told(gateway, asking->told.outcome);
	return end(asking, KH_OK);
}

enum kh_work_next kh_asking_step(struct kh_gateway *gateway, struct kh_asking *asking, struct kh_work *work,
				 struct kh_arena *arena, struct kh_error *err)
{
	bool first = !asking->begun, admits = first && asking->query != NULL;
	struct kh_look look;
	bool looked = false, inspected = false;
	enum kh_err e = KH_OK;

	if (asking->kept.until != 0)
		return kh_asking_holds(gateway, &asking->kept, work) ? KH_WORK_WAIT : refuse(gateway, asking, err);
	asking->begun = true;
	if (first)
		asking->came = kh_works_now();
	if (first && asking->waiting.until == 0)
		asking->waiting.until = asking->came + kh_gateway_wait(gateway);
	if (admits)
		e = admit(gateway, asking, &look, &looked, &inspected, arena, err);
	asking->query = NULL;
	if (inspected && e != KH_ESTORE && (e != KH_OK || asking->told.outcome != KH_OUTCOME_NONE) &&
	    hold(gateway, asking, work, e, err))
		return KH_WORK_WAIT;
	if (e == KH_OK && asking->told.outcome != KH_OUTCOME_NONE) { /* a refusal is an outcome */
		kh_gateway_told(gateway, asking->told.outcome);
		return end(asking, KH_OK);
	}
	if (e == KH_OK && !looked)
		e = look_at(gateway, asking, &look, arena, err);
	if (e != KH_OK)
		return kh_asking_again(gateway, asking->of, &asking->waiting, e, work, err) ? KH_WORK_WAIT
											    : end(asking, e);
	if (look.outcome == KH_OUTCOME_PENDING && !asking->pending_seen) {
		asking->pending_seen = true;
		kh_asking_keep(asking->waits, look.waits);
	}
	return waits(gateway, asking, &look, admits, work) ? KH_WORK_WAIT : tell(gateway, asking, &look, admits, arena);
}
