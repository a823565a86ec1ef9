/* The outbox carried out: Readers asked, their responses taken. */
#include "engine/outbox.h"

#include "base/clock.h"
#include "engine/engine.h"
#include "engine/query/ask.h"
#include "engine/query/respond.h"
#include "engine/recover.h"

#include <time.h>

#define ARENA (1U << 30)
#define POLL  INT64_C(100) /* ms between looks at what another process may have changed */

/* The Reader is asked.  One that another configuration has taken away meanwhile (kh_engine_reload) is dead. */
static void put(struct kh_engine *engine, const struct kh_ask *ask, struct kh_arena *arena, struct kh_respond *respond)
{
	const struct kh_reader *reader = kh_engine_reader(engine, ask->query->reader);

	/* A driver that fails by itself is a try that failed: the ask has begun, and somebody must say how it ended. */
	if (reader != NULL && reader->driver->ask(reader, arena, &ask->ask, &respond->response, &respond->fault,
						  &respond->detail) == KH_OK)
		return;
	respond->fault = KH_READER_DEAD;
	respond->detail = KH_LIT("the Reader could not be asked");
	arena->failed = false;
}

/* One ask and its response; *NEXT is what follows. */
static enum kh_err carry(struct kh_engine *engine, const struct kh_ask *ask, struct kh_arena *arena,
			 struct kh_ask *ret_next, struct kh_error *err)
{
	struct kh_respond respond = {.effect = ask->effect, .asked = ask->ask.query};

	put(engine, ask, arena, &respond);
	enum kh_err e = kh_engine_own(engine, kh_respond_run, &respond, arena, err);
	if (e == KH_OK)
		*ret_next = respond.next;
	return e;
}

/* A driver whose asks have effects of their own is begun durably first (E7).  An ask whose Reader is no longer
 * configured is left where it is, until it is configured again or the query's time has passed. */
static enum kh_err begin(struct kh_engine *engine, struct kh_ask *ask, struct kh_arena *arena, struct kh_error *err)
{
	const struct kh_reader *reader = kh_engine_reader(engine, ask->query->reader);

	ask->found = reader != NULL;
	if (reader == NULL || reader->driver->pure)
		return KH_OK;
	ask->mark = true;
	return kh_engine_own(engine, kh_ask_begin_run, ask, arena, err);
}

enum kh_err kh_outbox_ask(struct kh_engine *engine, const struct kh_ask *first, struct kh_arena *arena,
			  struct kh_error *err)
{
	struct kh_ask ask = *first;
	enum kh_err e = KH_OK;

	while (e == KH_OK && ask.found) {
		struct kh_ask next = {0};
		e = begin(engine, &ask, arena, err);
		if (e == KH_OK && ask.found)
			e = carry(engine, &ask, arena, &next, err);
		ask = next;
	}
	return e;
}

enum kh_err kh_outbox_effect(struct kh_engine *engine, int64_t id, struct kh_error *err)
{
	struct kh_ask ask = {.effect = id, .mark = true};
	struct kh_arena arena;

	kh_arena_init(&arena, kh_engine_alloc(engine), ARENA);
	enum kh_err e = kh_engine_own(engine, kh_ask_begin_run, &ask, &arena, err);
	while (e == KH_OK && ask.found) {
		struct kh_ask next = {0};
		e = carry(engine, &ask, &arena, &next, err);
		ask = next;
		if (e == KH_OK && ask.found)
			e = begin(engine, &ask, &arena, err);
	}
	kh_arena_done(&arena);
	return e;
}

enum kh_err kh_outbox_all(struct kh_engine *engine, struct kh_error *err)
{
	struct kh_recover recover;
	struct kh_arena arena;

	kh_arena_init(&arena, kh_engine_alloc(engine), ARENA);
	enum kh_err e = kh_engine_own(engine, kh_recover_run, &recover, &arena, err);
	for (size_t i = 0; e == KH_OK && i < recover.count; i++)
		e = kh_outbox_effect(engine, recover.effects[i], err);
	kh_arena_done(&arena);
	return e;
}

static void rest(int64_t ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Looks now and then, until there is something to be seen or END has come.  What a look leaves in memory is given back:
 * a wait can be long. */
static enum kh_err poll_until(struct kh_engine *engine, struct kh_view token, const struct kh_look *look, int64_t end,
			      struct kh_error *err)
{
	struct kh_look seen = *look;
	struct kh_arena arena;
	int64_t left = end - kh_clock_ms();
	enum kh_err e = KH_OK;

	kh_arena_init(&arena, kh_engine_alloc(engine), ARENA);
	while (e == KH_OK && seen.outcome == KH_OUTCOME_NONE && left > 0) {
		int64_t due = (seen.due - kh_engine_now(engine)) / 1000 + 1;
		int64_t pause = due > 0 && due < POLL ? due : POLL;
		rest(pause < left ? pause : left);
		kh_arena_clear(&arena);
		e = kh_engine_call(engine, token, kh_look_run, &seen, &arena, err);
		left = end - kh_clock_ms();
	}
	kh_arena_done(&arena);
	return e;
}

enum kh_err kh_outbox_wait(struct kh_engine *engine, struct kh_view token, struct kh_look *look, int64_t wait_ms,
			   struct kh_arena *arena, struct kh_error *err)
{
	int64_t end = kh_clock_ms() + wait_ms;
	enum kh_err e = kh_engine_call(engine, token, kh_look_run, look, arena, err);

	if (e != KH_OK || look->outcome != KH_OUTCOME_NONE || wait_ms <= 0)
		return e;
	e = poll_until(engine, token, look, end, err);
	return e == KH_OK ? kh_engine_call(engine, token, kh_look_run, look, arena, err) : e;
}
