/* Entries of the outbox, from begun to reported. */
#include "engine/outbox.h"

#include "engine/comm/decide.h"
#include "engine/comm/end.h"
#include "engine/comm/verifying.h"
#include "engine/deciding.h"
#include "engine/engine.h"
#include "engine/query/respond.h"
#include "engine/recover.h"

#include <time.h>

#define ARENA  (1U << 30)
#define MODELS 4 /* models asked in a row: there are two, and each is asked once */

struct kh_entry kh_outbox_of_ask(const struct kh_ask *ask)
{
	if (!ask->found)
		return (struct kh_entry){.kind = KH_ENTRY_NONE};
	return (struct kh_entry){
		.kind = KH_ENTRY_ASK,
		.id = ask->effect,
		.task = ask->query->task,
		.reader = ask->query->reader,
		.ready = true,
		.ask = *ask,
	};
}

struct kh_entry kh_outbox_of_effect(int64_t effect, struct kh_view reader)
{
	return (struct kh_entry){.kind = KH_ENTRY_ASK, .id = effect, .reader = reader};
}

struct kh_entry kh_outbox_of_call(struct kh_token_claim token, const struct kh_comm_call *call)
{
	struct kh_entry entry = {.token = token, .call = *call, .ready = true};

	if (call->next == KH_CALL_RUNS)
		entry.kind = KH_ENTRY_ERRAND;
	if (call->next == KH_CALL_TRIAGE)
		entry.kind = KH_ENTRY_VERIFY;
	if (entry.kind != KH_ENTRY_NONE) {
		entry.id = call->look.row->id;
		entry.task = call->look.row->task;
	}
	return entry;
}

struct kh_entry kh_outbox_of_turn(struct kh_token_claim token, const struct kh_comm_call *call)
{
	return (struct kh_entry){.kind = KH_ENTRY_DECIDE, .token = token, .call = *call};
}

/* Copies JSON that may be missing. */
static enum kh_err copy_json(struct kh_arena *arena, yyjson_val *json, yyjson_val **ret_json)
{
	*ret_json = NULL;
	return json != NULL ? kh_json_freeze(arena, yyjson_val_mut_copy(kh_json_new(arena), json), ret_json, NULL)
			    : KH_OK;
}

/* Copies the tool that an errand calls, if it calls one; what it has of the toolbox stays as long as the engine. */
static const struct kh_errand_tool *copy_tool(struct kh_arena *arena, const struct kh_errand_tool *tool)
{
	struct kh_errand_tool *copy = tool != NULL ? KH_NEW(arena, struct kh_errand_tool) : NULL;

	if (copy == NULL)
		return NULL;
	*copy = *tool;
	copy->server = kh_arena_dup(arena, tool->server);
	copy->name = kh_arena_dup(arena, tool->name);
	return copy;
}

enum kh_err kh_outbox_copy(struct kh_arena *arena, const struct kh_entry *entry, struct kh_entry *ret_entry)
{
	const struct kh_errand *errand = &entry->call.errand;
	struct kh_entry copy = {
		.kind = entry->kind,
		.id = entry->id,
		.task = entry->task,
		.reader = kh_arena_dup(arena, entry->reader),
		.ready = entry->kind == KH_ENTRY_ERRAND,
	};
	enum kh_err e = KH_OK;

	if (entry->kind == KH_ENTRY_VERIFY) { /* decided again, so that the model is shown the present state */
		copy.token = entry->token;
		copy.call.declaration = kh_arena_dup(arena, entry->call.look.id);
	}
	if (entry->kind == KH_ENTRY_ERRAND) {
		copy.call.next = KH_CALL_RUNS;
		copy.call.errand = *errand;
		copy.call.errand.operation = kh_arena_dup(arena, errand->operation);
		copy.call.errand.task = kh_arena_dup(arena, errand->task);
		copy.call.errand.tool = copy_tool(arena, errand->tool);
		e = copy_json(arena, errand->parameters, &copy.call.errand.parameters);
	}
	if (entry->kind == KH_ENTRY_DECIDE) {
		copy.token = entry->token;
		copy.call.task = kh_arena_dup(arena, entry->call.task);
		copy.call.declaration = kh_arena_dup(arena, entry->call.declaration);
		copy.call.fenced = entry->call.fenced;
		copy.call.came = entry->call.since;
		e = copy_json(arena, entry->call.declare, &copy.call.declare);
	}
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e == KH_OK)
		*ret_entry = copy;
	return e;
}

/* --- asks --------------------------------------------------------------------------------------------------------- */

/*
 * A driver whose asks have side effects is durably marked as begun first (E7).  An ask whose Reader is no longer
 * configured is left alone until the Reader is configured again or the query's time has passed.
 */
static enum kh_err begin_ask(struct kh_engine *engine, struct kh_entry *entry, struct kh_arena *arena,
			     struct kh_error *err)
{
	const struct kh_reader *reader = entry->ready ? kh_engine_reader(engine, entry->reader) : NULL;

	if (entry->ready && (reader == NULL || reader->driver->pure)) {
		entry->ask.found = reader != NULL;
		return KH_OK;
	}
	entry->ask.effect = entry->id;
	entry->ask.mark = true;
	return kh_engine_own(engine, kh_ask_begin_run, &entry->ask, arena, err);
}

/* Asks the Reader.  A Reader that a reload has removed meanwhile (kh_engine_reload) counts as dead. */
static void ask_reader(struct kh_engine *engine, const struct kh_ask *ask, struct kh_arena *arena,
		       struct kh_respond *respond)
{
	const struct kh_reader *reader = kh_engine_reader(engine, ask->query->reader);

	/* A driver that fails by itself is a failed try: the ask has begun, so its end must be recorded. */
	if (reader != NULL && !ask->unread &&
	    reader->driver->ask(reader, arena, &ask->ask, &respond->response, &respond->fault, &respond->detail) ==
		    KH_OK)
		return;
	respond->fault = KH_READER_DEAD;
	respond->detail = KH_LIT("the Reader could not be asked");
	arena->failed = false;
}

static enum kh_err run_ask(struct kh_engine *engine, struct kh_entry *entry, struct kh_arena *arena,
			   struct kh_error *err)
{
	struct kh_respond respond = {.effect = entry->id};
	enum kh_err e = begin_ask(engine, entry, arena, err);

	if (e != KH_OK)
		return e;
	if (entry->ask.found) {
		respond.asked = entry->ask.ask.query;
		ask_reader(engine, &entry->ask, arena, &respond);
		e = kh_engine_own(engine, kh_respond_run, &respond, arena, err);
	}
	if (e == KH_OK)
		*entry = kh_outbox_of_ask(&respond.next);
	return e;
}

/* --- errands ------------------------------------------------------------------------------------------------------ */

/* Records an end without a result: there is no content, and WHY says why. */
static enum kh_err end_without(struct kh_engine *engine, const struct kh_entry *entry, enum kh_errand_end how,
			       const char *why, struct kh_error *err)
{
	struct kh_comm_end end = {
		.declaration = entry->id,
		.result = {.end = how, .source = entry->call.errand.operation, .why = kh_view_str(why)},
	};
	struct kh_arena arena;

	kh_arena_init(&arena, kh_engine_alloc(engine), ARENA);
	enum kh_err e = kh_engine_own(engine, kh_comm_end_run, &end, &arena, err);
	kh_arena_done(&arena);
	return e;
}

/* How much of its time an errand has left, after it waited for a place; in milliseconds, 0: nothing. */
static uint64_t time_left(const struct kh_engine *engine, const struct kh_errand *errand)
{
	int64_t left = (errand->until - kh_engine_now(engine)) / 1000;

	return left <= 0 ? 0 : (uint64_t)left < errand->wall_ms ? (uint64_t)left : errand->wall_ms;
}

/* Carries it out once, and records the result. */
static enum kh_err deliver(struct kh_engine *engine, const struct kh_entry *entry, struct kh_arena *arena,
			   struct kh_error *err)
{
	struct kh_comm_end end = {.declaration = entry->id};
	struct kh_errand errand = entry->call.errand;

	errand.wall_ms = time_left(engine, &errand);
	if (errand.wall_ms == 0)
		return end_without(engine, entry, KH_ERRAND_FAILED,
				   "its time passed before there was a place for it: it was not carried out", err);
	if (kh_engine_errand(engine, &errand, arena, &end.result) != KH_OK) {
		arena->failed = false;
		end.result = (struct kh_errand_result){.end = KH_ERRAND_UNKNOWN,
						       .source = entry->call.errand.operation,
						       .why = KH_LIT("there was not enough memory to carry it out")};
	}
	enum kh_err e = kh_engine_own(engine, kh_comm_end_run, &end, arena, err);
	/* A full disk: by now the room that the store keeps is free. */
	return e == KH_ESTORE && err->code != NULL && strcmp(err->code, "store_full") == 0
		       ? kh_engine_own(engine, kh_comm_end_run, &end, arena, err)
		       : e;
}

/* A result that cannot be recorded is given up, but the errand has begun, so the record must have an end of it. */
static enum kh_err run_errand(struct kh_engine *engine, struct kh_entry *entry, struct kh_arena *arena,
			      struct kh_error *err)
{
	bool recorded = !entry->lost && deliver(engine, entry, arena, err) == KH_OK;
	enum kh_err e = KH_OK;

	if (!recorded) {
		arena->failed = false;
		entry->lost = true;
		e = end_without(engine, entry, KH_ERRAND_UNKNOWN, "what came of it could not be recorded", err);
	}
	/* The store's own sentence is about the record alone, and would be taken for one about the operation. */
	if (e == KH_ESTORE)
		(void)kh_error_set(
			err, e, "outcome_unrecorded",
			"the operation was begun, and what came of it cannot be recorded now (%s): it is unknown",
			err->code != NULL ? err->code : "store_failed");
	if (e == KH_OK)
		*entry = (struct kh_entry){.token = entry->token, .call = entry->call};
	return e;
}

enum kh_err kh_outbox_give_up(struct kh_engine *engine, const struct kh_entry *entry, struct kh_error *err)
{
	if (entry->kind != KH_ENTRY_ERRAND)
		return KH_OK;
	return end_without(engine, entry, KH_ERRAND_FAILED,
			   "the gateway stops, or has no memory left: it was not carried out", err);
}

/* --- models that verify ------------------------------------------------------------------------------------------- */

/* Any failure to ask counts as `pass`: somebody else decides. */
static enum kh_err ask_model(struct kh_engine *engine, const struct kh_comm_call *call, struct kh_arena *arena,
			     struct kh_comm_triaged *said, struct kh_error *err)
{
	const struct kh_reader *reader = kh_engine_verifier(engine, call->supervisor);
	enum kh_reader_fault fault = KH_READER_OK;
	struct kh_reader_ask ask;
	struct kh_tainted response;
	struct kh_view detail;

	said->verdict = KH_TRIAGE_PASS;
	if (reader == NULL)
		return KH_OK;
	said->reader = reader->name;
	enum kh_err e = kh_verifying_prepare(engine, call, arena, &ask, err);
	if (e == KH_OK)
		e = reader->driver->ask(reader, arena, &ask, &response, &fault, &detail);
	return e == KH_OK && fault == KH_READER_OK ? kh_verifying_judge(arena, &ask, response, &said->verdict) : e;
}

/* Each tier is asked once.  What it said is recorded, whatever it was, and the call is decided again with it. */
static enum kh_err run_verify(struct kh_engine *engine, struct kh_entry *entry, struct kh_arena *arena,
			      struct kh_error *err)
{
	struct kh_comm_triaged said = {.declaration = entry->id, .supervisor = entry->call.supervisor};
	struct kh_comm_call call = entry->call;
	unsigned rounds = entry->rounds + 1;
	enum kh_err e = KH_OK;

	if (entry->rounds == MODELS)
		return kh_error_set(err, KH_EREFUSED, "busy",
				    "the models that verify were asked, and nothing came of it");
	if (entry->ready) {
		e = ask_model(engine, &call, arena, &said, err);
		if (e == KH_OK)
			e = kh_engine_own(engine, kh_comm_decide_triaged, &said, arena, err);
		if (e != KH_OK)
			return e;
		entry->call.declaration = call.look.id;
		entry->ready = false;
		entry->at = said.at; /* it is decided with it at its slot */
		return KH_OK;
	}
	call.came = 0; /* what follows counts from now: the model has had slots of its own */
	e = kh_deciding_run(engine, entry->token, &call, arena, err);
	if (e != KH_OK)
		return e;
	*entry = kh_outbox_of_call(entry->token, &call);
	entry->rounds = rounds;
	return KH_OK;
}

/* --- calls whose turn has come ------------------------------------------------------------------------------------ */

static enum kh_err run_decide(struct kh_engine *engine, struct kh_entry *entry, struct kh_arena *arena,
			      struct kh_error *err)
{
	struct kh_comm_call call = entry->call;
	enum kh_err e = kh_deciding_run(engine, entry->token, &call, arena, err);

	if (e == KH_OK)
		*entry = kh_outbox_of_call(entry->token, &call);
	return e;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static enum kh_err (*const runs[])(struct kh_engine *engine, struct kh_entry *entry, struct kh_arena *arena,
				   struct kh_error *err) = {
	[KH_ENTRY_ASK] = run_ask,
	[KH_ENTRY_ERRAND] = run_errand,
	[KH_ENTRY_VERIFY] = run_verify,
	[KH_ENTRY_DECIDE] = run_decide,
};

enum kh_err kh_outbox_step(struct kh_engine *engine, struct kh_entry *entry, struct kh_arena *arena,
			   struct kh_error *err)
{
	return entry->kind != KH_ENTRY_NONE ? runs[entry->kind](engine, entry, arena, err) : KH_OK;
}

int64_t kh_outbox_early(const struct kh_engine *engine, const struct kh_entry *entry)
{
	int64_t left = entry->at - kh_engine_now(engine);

	return left > 0 ? left : 0;
}

enum kh_err kh_outbox_run(struct kh_engine *engine, struct kh_entry *entry, struct kh_arena *arena,
			  struct kh_error *err)
{
	enum kh_err e = KH_OK;

	while (e == KH_OK && entry->kind != KH_ENTRY_NONE) {
		int64_t us = kh_outbox_early(engine, entry);
		if (us > 0)
			nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
		else
			e = kh_outbox_step(engine, entry, arena, err);
	}
	return e;
}

static enum kh_err run_effect(struct kh_engine *engine, int64_t effect, struct kh_view reader, struct kh_error *err)
{
	struct kh_entry entry = kh_outbox_of_effect(effect, reader);
	struct kh_arena arena;

	kh_arena_init(&arena, kh_engine_alloc(engine), ARENA);
	enum kh_err e = kh_outbox_run(engine, &entry, &arena, err);
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
		e = run_effect(engine, recover.effects[i], recover.readers[i], err);
	kh_arena_done(&arena);
	return e;
}
