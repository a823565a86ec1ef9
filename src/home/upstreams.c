/* From what a server offers, which is hostile, to the engine's record of it.  Nothing is read here. */
#include "home/upstreams.h"

#include "engine/upstream/elicit.h"
#include "engine/upstream/lease.h"
#include "engine/upstream/seen.h"
#include "upstream/fleet.h"

#define MEMORY (1U << 20)

enum kh_err kh_upstreams_note(struct kh_engine *engine, const struct kh_running_found *found, struct kh_view about,
			      struct kh_arena *arena, struct kh_error *err)
{
	struct kh_seen_tool *tools = KH_NEW_N(arena, struct kh_seen_tool, found->list->count + 1);
	struct kh_upstream_seen seen = {.name = found->server,
					.program = found->program,
					.about = about,
					.tools = tools,
					.count = found->list->count};

	if (tools == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "not enough memory");
	for (size_t i = 0; i < seen.count; i++) {
		const struct kh_inventory_tool *tool = &found->list->tools[i];
		tools[i] = (struct kh_seen_tool){kh_tainted_open(tool->name), kh_tainted_open(tool->text),
						 tool->digest};
	}
	return kh_engine_own(engine, kh_upstream_seen_run, &seen, arena, err);
}

/* --- what the fleet needs of the engine --------------------------------------------------------------------------- */

static enum kh_err seen(void *context, const struct kh_running_found *found, struct kh_view about,
			struct kh_arena *arena, struct kh_error *err)
{
	const struct kh_home *home = context;

	return kh_upstreams_note(home->engine, found, about, arena, err);
}

/* A server asks a human something during the call of ERRAND (U3). */
static enum kh_err ask_human(void *context, const struct kh_errand *errand, struct kh_tainted params, int64_t left_ms,
			     struct kh_arena *arena, int64_t *ret_id, struct kh_error *err)
{
	const struct kh_home *home = context;
	struct kh_elicit_ask ask = {.declaration = errand->declaration,
				    .server = errand->tool->server,
				    .params = params,
				    .left_ms = left_ms};

	enum kh_err e = kh_engine_own(home->engine, kh_elicit_ask_run, &ask, arena, err);
	if (e == KH_OK)
		*ret_id = ask.approval;
	return e;
}

static enum kh_err take_answer(void *context, int64_t id, bool is_over, struct kh_arena *arena,
			       enum kh_elicited *ret_end, struct kh_view *ret_values, struct kh_error *err)
{
	const struct kh_home *home = context;
	struct kh_elicit_take take = {.approval = id, .is_over = is_over};

	enum kh_err e = kh_engine_own(home->engine, kh_elicit_take_run, &take, arena, err);
	if (e == KH_OK) {
		*ret_end = take.end;
		*ret_values = take.values;
	}
	return e;
}

/* Runs an operation of the engine's for the fleet, in memory of its own. */
static enum kh_err run(const struct kh_home *home, kh_engine_fn *fn, void *call, struct kh_error *err)
{
	struct kh_arena arena;

	kh_arena_init(&arena, NULL, MEMORY);
	enum kh_err e = kh_engine_own(home->engine, fn, call, &arena, err);
	kh_arena_done(&arena);
	return e;
}

static enum kh_err take(void *context, struct kh_view server, int64_t of, enum kh_holding_taken *ret_taken,
			struct kh_error *err)
{
	struct kh_lease_take take = {.of = {server, of}};
	enum kh_err e = run(context, kh_lease_take_run, &take, err);

	if (e == KH_OK)
		*ret_taken = !take.is_taken ? KH_HOLDING_NOT : take.is_heir ? KH_HOLDING_HEIR : KH_HOLDING_YES;
	return e;
}

static enum kh_err give(void *context, struct kh_view server, int64_t of, struct kh_error *err)
{
	struct kh_lease_of lease = {server, of};

	return run(context, kh_lease_give_run, &lease, err);
}

static enum kh_err wanted(void *context, void (*each)(void *arg, struct kh_view server, int64_t of), void *arg)
{
	const struct kh_home *home = context;
	struct kh_lease_wanted all;
	struct kh_arena arena;
	struct kh_error err;

	kh_arena_init(&arena, NULL, MEMORY);
	enum kh_err e = kh_engine_own(home->engine, kh_lease_wanted_run, &all, &arena, &err);
	for (size_t i = 0; e == KH_OK && i < all.count; i++)
		each(arg, all.list[i].server, all.list[i].context);
	kh_arena_done(&arena);
	return e;
}

enum kh_err kh_upstreams_open(struct kh_home *home, struct kh_error *err)
{
	struct kh_fleet_settings settings = {.alloc = &kh_alloc_system,
					     .client = home->client,
					     .config = home->config,
					     .folder = home->folder.path,
					     .tells = home->use == KH_HOME_SERVE,
					     .human = {home, ask_human, take_answer},
					     .leases = {&kh_alloc_system, home, take, give, wanted},
					     .tell = {home, seen}};

	return kh_fleet_new(&settings, &home->fleet, err);
}

struct kh_errand_upstreams kh_upstreams_of(const struct kh_home *home)
{
	return (struct kh_errand_upstreams){home->fleet, kh_fleet_call};
}
