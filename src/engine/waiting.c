/* When to look again, and waiting until then. */
#include "engine/waiting.h"

#include "base/clock.h"
#include "engine/engine.h"
#include "engine/outbox.h"
#include "engine/query/settle.h"

#include <time.h>

#define HUMAN  INT64_C(5000000) /* microseconds between two looks at whether a human has decided an operation */
#define POLL   INT64_C(100000)  /* between looks at what another process may have changed */
#define SELDOM INT64_C(500000)  /* between looks for what was left behind */
#define ARENA  (1U << 30)

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Converts TIME from the engine's clock to the monotonic clock. */
static int64_t on_clock(const struct kh_engine *engine, int64_t now, int64_t time)
{
	return now + (time - kh_engine_now(engine));
}

bool kh_waiting_query(const struct kh_engine *engine, struct kh_waiting *waiting, const struct kh_look *look)
{
	int64_t now = kh_clock_us();
	bool here = waiting->here;

	waiting->here = false;
	if (look->outcome == KH_OUTCOME_PENDING ? !waiting->human : look->outcome != KH_OUTCOME_NONE)
		return false;
	if (here && waiting->until <= now)
		waiting->until = on_clock(engine, now, look->slot);
	if (waiting->until <= now)
		return false;
	waiting->at = look->due != 0 ? sooner(on_clock(engine, now, look->due), waiting->until) : waiting->until;
	waiting->chain = look->row->task;
	return true;
}

bool kh_waiting_call(const struct kh_engine *engine, struct kh_waiting *waiting, const struct kh_comm_look *look)
{
	int64_t now = kh_clock_us(), due = look->due != 0 ? on_clock(engine, now, look->due) : 0;
	bool human = look->approval.n > 0 || look->held;

	if (look->ended != KH_ENDED_NOT)
		return false;
	if (waiting->here && due > waiting->until)
		waiting->until = due;
	waiting->here = false;
	if (waiting->until <= now)
		return false;
	waiting->at = waiting->until;
	if (due != 0)
		waiting->at = sooner(due, waiting->until);
	if (human)
		waiting->at = sooner(now + HUMAN, waiting->at);
	waiting->chain = look->row->task;
	return true;
}

int64_t kh_waiting_slot(const struct kh_engine *engine, int64_t came)
{
	return kh_settle_slot_of_taken(kh_engine_policy(engine), came, kh_clock_us());
}

static void rest(int64_t us)
{
	if (us > 0)
		nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

void kh_waiting_rest(const struct kh_waiting *waiting)
{
	int64_t left = waiting->at - kh_clock_us();

	rest(waiting->chain != 0 ? sooner(left, POLL) : left);
}

/* Looks repeatedly until there is something to tell.  The memory of each look is freed, because a wait can be long. */
static enum kh_err look_until(struct kh_engine *engine, struct kh_token_claim token, const struct kh_look *asked,
			      struct kh_look seen, struct kh_waiting *waiting, struct kh_error *err)
{
	int64_t left_at = kh_clock_us() + SELDOM;
	struct kh_arena arena;
	enum kh_err e = KH_OK;

	kh_arena_init(&arena, kh_engine_alloc(engine), ARENA);
	while (e == KH_OK && kh_waiting_query(engine, waiting, &seen)) {
		kh_waiting_rest(waiting);
		/* The process that decided may have ended before the Reader was asked. */
		if (seen.outcome == KH_OUTCOME_PENDING && kh_clock_us() >= left_at) {
			e = kh_outbox_all(engine, err);
			left_at = kh_clock_us() + SELDOM;
			waiting->here = true;
		}
		kh_arena_clear(&arena);
		seen = *asked;
		if (e == KH_OK)
			e = kh_engine_call(engine, token, kh_look_run, &seen, &arena, err);
	}
	kh_arena_done(&arena);
	return e;
}

enum kh_err kh_waiting_run(struct kh_engine *engine, struct kh_token_claim token, struct kh_look *look,
			   struct kh_waiting *waiting, struct kh_arena *arena, struct kh_error *err)
{
	struct kh_look asked = {.query = look->query, .approval = look->approval};
	enum kh_err e = kh_engine_call(engine, token, kh_look_run, look, arena, err);
	struct kh_waiting first = *waiting;

	if (e != KH_OK || !kh_waiting_query(engine, &first, look))
		return e;
	e = look_until(engine, token, &asked, *look, waiting, err);
	return e == KH_OK ? kh_engine_call(engine, token, kh_look_run, look, arena, err) : e;
}
