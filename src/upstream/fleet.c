/*
 * The servers of this process.
 *
 * One lock guards the lists.  It is never held while a server is asked or ended, because that takes long: whoever takes a
 * server off the list ends it afterwards.  A server that is being called has users, and is not ended before they are gone.
 *
 * One thread, the keeper, ends servers that nobody calls any more, or that another gateway waits for (holding.h), and
 * writes for humans what servers do.
 */
#include "upstream/fleet.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "core/policy/toolrule.h"
#include "upstream/conclude.h"
#include "upstream/launch.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define TICK_MS 1000 /* how often the keeper looks */
#define SOON_MS 100  /* the same while something is about to end */
#define HEAR_MS 2000 /* how often servers are asked for what they have written and sent */
#define SPENT   "it has sent all that it may on one day (bytes_out): it is held until tomorrow, UTC"
#define HOUR_MS 3600000

/* One entry of the configuration, by its name, however often it has changed. */
struct named {
	struct named *next;
	struct kh_port *port;
};

/* One server that runs, or can be started. */
struct unit {
	struct unit *next;
	struct kh_fleet *fleet;
	uint64_t number; /* for humans */
	struct kh_port *port;
	int64_t context; /* a row; 0: all of them */
	const struct kh_config_upstream *up;
	struct kh_digest entry; /* of what the configuration says of it */
	bool elicits;           /* it was told that a human may answer what it asks */
	struct kh_running *running;
	struct kh_holding holding; /* of a program: what lets it run */
	atomic_bool is_leaving;    /* it gets no more calls; set under the lock */
	/* under the lock */
	size_t users;
	int64_t used_ms;
	int64_t asked_ms; /* when it was asked for what it has written and sent; 0: not since its last call */
	/* of the thread of all servers */
	struct kh_port_life heard;
	atomic_bool is_heard; /* since it was asked */
};

struct kh_fleet {
	struct kh_fleet_settings settings;
	struct kh_launch launch; /* from its entry to a server */
	struct kh_arena arena;   /* of the names */
	pthread_mutex_t lock;
	pthread_cond_t wake; /* the keeper */
	bool stop, has_keeper;
	pthread_t keeper;
	const struct kh_config *config;
	struct kh_server_all *servers; /* NULL: no program was needed yet */
	struct kh_holding_all *leases; /* NULL: no other process can run the same servers */
	struct named *names;
	struct unit *units;
	size_t count; /* of them */
	uint64_t numbers;
	int64_t recalled_ms;
};

/* --- beginning and end -------------------------------------------------------------------------------------------- */

enum kh_err kh_fleet_new(const struct kh_fleet_settings *settings, struct kh_fleet **ret_fleet, struct kh_error *err)
{
	struct kh_fleet *fleet = kh_alloc_zero(settings->alloc, sizeof(*fleet));
	pthread_condattr_t monotonic;

	if (fleet == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	fleet->settings = *settings;
	fleet->launch = (struct kh_launch){.folder = settings->folder, .file = KH_LIT("keyhole.yaml")};
	fleet->config = settings->config;
	kh_arena_init(&fleet->arena, settings->alloc, 16U << 20);
	(void)pthread_mutex_init(&fleet->lock, NULL);
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&fleet->wake, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	enum kh_err e = kh_holding_all_new(&settings->leases, &fleet->leases, err);
	if (e == KH_OK)
		*ret_fleet = fleet;
	else
		kh_fleet_free(fleet);
	return e;
}

/* Ends the servers of LIST, which nobody can reach any more. */
static void end_units(struct unit *list)
{
	while (list != NULL) {
		struct unit *unit = list;
		list = unit->next;
		kh_running_free(unit->running);
		kh_holding_drop(unit->fleet->leases, &unit->holding);
		kh_alloc_free(unit->fleet->settings.alloc, unit, sizeof(*unit));
	}
}

void kh_fleet_free(struct kh_fleet *fleet)
{
	if (fleet == NULL)
		return;
	pthread_mutex_lock(&fleet->lock);
	fleet->stop = true;
	pthread_cond_signal(&fleet->wake);
	pthread_mutex_unlock(&fleet->lock);
	if (fleet->has_keeper)
		pthread_join(fleet->keeper, NULL);
	struct unit *all = fleet->units;
	fleet->units = NULL;
	end_units(all);
	kh_holding_all_free(fleet->leases);
	kh_server_all_free(fleet->servers);
	for (struct named *one = fleet->names; one != NULL; one = one->next) {
		kh_port_set(one->port, &(struct kh_port_state){.state = "down"});
		kh_port_free(one->port);
	}
	(void)pthread_cond_destroy(&fleet->wake);
	(void)pthread_mutex_destroy(&fleet->lock);
	kh_arena_done(&fleet->arena);
	kh_alloc_free(fleet->settings.alloc, fleet, sizeof(*fleet));
}

/* --- which servers there are -------------------------------------------------------------------------------------- */

/* Takes UNIT off the list and puts it onto LIST.  Called with the lock. */
static void take_off(struct unit *unit, struct unit **list)
{
	struct unit **at = &unit->fleet->units;

	while (*at != unit)
		at = &(*at)->next;
	*at = unit->next;
	unit->fleet->count--;
	unit->next = *list;
	*list = unit;
}

/* True if nobody needs UNIT any more at NOW.  One that failed is kept: how often it did has to be known. */
static bool is_idle(const struct unit *unit, int64_t now)
{
	int64_t idle = now - unit->used_ms;

	if (unit->users > 0)
		return false;
	if (unit->is_leaving || kh_holding_is_wanted(unit->fleet->leases, &unit->holding))
		return true;
	if (idle < (int64_t)unit->up->idle_seconds * 1000)
		return false;
	enum kh_server_phase phase = kh_running_state(unit->running).phase;
	return (phase != KH_SERVER_PAUSED && phase != KH_SERVER_HELD) || idle >= HOUR_MS;
}

/* True if UNIT, which is idle, can be ended: what it has written and sent is known, or does not come. */
static bool is_heard(struct unit *unit, int64_t now)
{
	if (unit->asked_ms == 0) {
		unit->asked_ms = now;
		unit->is_heard = false;
		return !kh_running_recall(unit->running);
	}
	return unit->is_heard || now - unit->asked_ms >= HEAR_MS;
}

/* Takes everything that is idle off the list; *RET_SOON: something will be soon.  Called with the lock. */
static struct unit *take_idle(struct kh_fleet *fleet, bool *ret_soon)
{
	int64_t now = kh_clock_ms();
	struct unit *list = NULL;

	for (struct unit *unit = fleet->units, *next; unit != NULL; unit = next) {
		next = unit->next;
		bool idle = is_idle(unit, now);
		if (idle && is_heard(unit, now))
			take_off(unit, &list);
		else if (idle)
			*ret_soon = true;
		else if (unit->users == 0 && kh_running_state(unit->running).phase != KH_SERVER_UP)
			kh_holding_drop(unit->fleet->leases,
					&unit->holding); /* it has died, or was stopped; the next call takes it anew */
	}
	return list;
}

/* True if the server UP has sent all that it may today. */
static bool is_spent(const struct kh_config_upstream *up, struct kh_port *port)
{
	return up->network.n > 0 && kh_port_left(port, up->bytes_out) == 0;
}

/* How the server of PORT is: the worst of its units counts.  Called with the lock. */
static struct kh_port_state state_of(const struct kh_fleet *fleet, struct kh_port *port)
{
	static const char *const words[] = {[KH_SERVER_DOWN] = "down",
					    [KH_SERVER_UP] = "up",
					    [KH_SERVER_PAUSED] = "paused",
					    [KH_SERVER_HELD] = "held"};
	struct kh_port_state all = {.state = words[KH_SERVER_DOWN]};
	enum kh_server_phase worst = KH_SERVER_DOWN;

	for (const struct unit *unit = fleet->units; unit != NULL; unit = unit->next) {
		struct kh_server_state state = kh_running_state(unit->running);
		if (unit->port != port)
			continue;
		all.processes += state.phase == KH_SERVER_UP;
		if (state.phase < worst)
			continue;
		worst = state.phase;
		snprintf(all.why, sizeof(all.why), "%s", state.why);
	}
	all.state = words[worst];
	const struct kh_config_upstream *up = kh_settings_upstream(fleet->config, kh_port_name(port));
	if (up != NULL && is_spent(up, port)) {
		all.state = words[KH_SERVER_HELD];
		snprintf(all.why, sizeof(all.why), SPENT);
	}
	return all;
}

/* Asks all that run for what they have written and sent, now and then.  Called with the lock. */
static void recall(struct kh_fleet *fleet)
{
	int64_t now = kh_clock_ms();

	if (now - fleet->recalled_ms < HEAR_MS)
		return;
	fleet->recalled_ms = now;
	for (struct unit *unit = fleet->units; unit != NULL; unit = unit->next)
		(void)kh_running_recall(unit->running);
}

/* Ends what is idle, and writes what is new; true if more is to be done soon.  Called with the lock, which it gives up
 * meanwhile. */
static bool look_after(struct kh_fleet *fleet)
{
	bool soon = false;
	struct unit *idle = take_idle(fleet, &soon);

	recall(fleet);
	/* New names are put at the front, so the rest of the list stays as it is. */
	struct named *names = fleet->names;
	for (struct named *one = names; one != NULL; one = one->next) {
		struct kh_port_state state = state_of(fleet, one->port);
		kh_port_set(one->port, &state);
	}
	pthread_mutex_unlock(&fleet->lock);
	end_units(idle);
	for (struct named *one = names; one != NULL; one = one->next)
		kh_port_write(one->port);
	soon |= kh_holding_tend(fleet->leases);
	pthread_mutex_lock(&fleet->lock);
	return soon;
}

static void *keep(void *context)
{
	struct kh_fleet *fleet = context;

	pthread_mutex_lock(&fleet->lock);
	while (!fleet->stop) {
		bool soon = look_after(fleet);
		int64_t until_ms = kh_clock_ms() + (soon ? SOON_MS : TICK_MS);
		struct timespec until = {.tv_sec = until_ms / 1000, .tv_nsec = until_ms % 1000 * 1000000};

		if (fleet->stop)
			break;
		if (fleet->units == NULL && !soon)
			(void)pthread_cond_wait(&fleet->wake, &fleet->lock);
		else
			(void)pthread_cond_timedwait(&fleet->wake, &fleet->lock, &until);
	}
	pthread_mutex_unlock(&fleet->lock);
	return NULL;
}

/* Starts the threads that this process needs from its first call on.  Called with the lock. */
static enum kh_err begin_work(struct kh_fleet *fleet, struct kh_error *err)
{
	enum kh_err e = KH_OK;
	sigset_t every, old;

	if (fleet->servers == NULL)
		e = kh_server_all_new(fleet->settings.client, &fleet->servers, err);
	if (e != KH_OK || fleet->has_keeper)
		return e;
	/* Signals belong to the main thread. */
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &old);
	fleet->has_keeper = pthread_create(&fleet->keeper, NULL, keep, fleet) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return fleet->has_keeper ? KH_OK : kh_error_set(err, KH_ENOMEM, "out_of_memory", "cannot start a thread");
}

/* The port of NAME, made if there is none.  Called with the lock. */
static enum kh_err find_port(struct kh_fleet *fleet, struct kh_view name, struct kh_port **ret_port,
			     struct kh_error *err)
{
	struct kh_port_settings settings = {.alloc = fleet->settings.alloc,
					    .folder = fleet->settings.folder,
					    .name = name,
					    .tells = fleet->settings.tells};
	struct named *one = fleet->names;

	while (one != NULL && !kh_view_eq(kh_port_name(one->port), name))
		one = one->next;
	if (one == NULL) {
		one = KH_NEW(&fleet->arena, struct named);
		if (one == NULL)
			return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
		enum kh_err e = kh_port_new(&settings, &one->port, err);
		if (e != KH_OK)
			return e;
		one->next = fleet->names;
		fleet->names = one;
	}
	*ret_port = one->port;
	return KH_OK;
}

/* Makes room for one more: the unit that nobody has called for longest goes onto LIST.  Called with the lock. */
static bool make_room(struct kh_fleet *fleet, struct unit **list)
{
	struct unit *oldest = NULL;

	if (fleet->count < KH_FLEET_SERVERS)
		return true;
	for (struct unit *unit = fleet->units; unit != NULL; unit = unit->next) {
		if (unit->users == 0 && (oldest == NULL || unit->used_ms < oldest->used_ms))
			oldest = unit;
	}
	if (oldest != NULL)
		take_off(oldest, list);
	return oldest != NULL;
}

/* The next life of UNIT may send what is left of the day; it is not started if that is nothing. */
static void allow_unit(struct unit *unit)
{
	uint64_t left = kh_port_left(unit->port, unit->up->bytes_out);

	kh_running_allow(unit->running, left > 0 ? left : 1);
}

/* --- what servers tell -------------------------------------------------------------------------------------------- */

static enum kh_err found(void *context, const struct kh_running_found *found, struct kh_arena *arena,
			 struct kh_error *err)
{
	const struct unit *unit = context;

	if (found->life > 0)
		kh_port_say(unit->port, "session %llu of process %llu began: MCP %s, %zu tools",
			    (unsigned long long)found->life, (unsigned long long)unit->number, found->manner->spoken,
			    found->list->count);
	return kh_telling_report(&unit->fleet->settings.tell, unit->port, found, arena, err);
}

/* Lets all of PORT's servers send what is left of the day, each from its next life on. */
static void allow(struct kh_fleet *fleet, struct kh_port *port)
{
	pthread_mutex_lock(&fleet->lock);
	for (struct unit *unit = fleet->units; unit != NULL; unit = unit->next) {
		if (unit->port == port && unit->up->network.n > 0)
			allow_unit(unit);
	}
	pthread_mutex_unlock(&fleet->lock);
}

static void ended(void *context, uint64_t life, const struct kh_server_end *end)
{
	struct unit *unit = context;

	kh_port_hear(unit->port, &unit->heard, life, end);
	kh_port_say(unit->port, "session %llu of process %llu ended: %s", (unsigned long long)life,
		    (unsigned long long)unit->number, kh_exchange_about(&end->end));
	kh_port_quote(unit->port, kh_exchange_reason(&end->end));
	allow(unit->fleet, unit->port);
}

static void kept(void *context, uint64_t life, const struct kh_server_end *kept)
{
	struct unit *unit = context;

	kh_port_hear(unit->port, &unit->heard, life, kept);
	unit->is_heard = true;
}

/* --- a server for a call ------------------------------------------------------------------------------------------ */

/* Adds a unit for CONTEXT.  Called with the lock. */
static enum kh_err add_unit(struct kh_fleet *fleet, const struct kh_config_upstream *up, struct kh_port *port,
			    int64_t context, struct unit **ret_unit, struct kh_error *err)
{
	const struct kh_fleet_settings *s = &fleet->settings;
	struct unit *unit = kh_alloc_zero(s->alloc, sizeof(*unit));
	struct kh_running_settings settings = {.alloc = s->alloc,
					       .client = s->client,
					       .servers = fleet->servers,
					       .up = up,
					       .folder = s->folder,
					       .elicits = kh_toolrule_elicits(&fleet->config->policy, up->name),
					       .human = &s->human,
					       .context = unit,
					       .found = found,
					       .watch = {unit, ended, kept}};

	if (unit == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	*unit = (struct unit){.fleet = fleet, .port = port, .context = context, .up = up, .number = ++fleet->numbers};
	unit->elicits = settings.elicits;
	unit->holding = (struct kh_holding){.server = kh_port_name(port), .of = context};
	enum kh_err e = kh_launch_entry(&fleet->launch, up, &unit->entry, err);
	if (e == KH_OK)
		e = kh_running_new(&settings, &unit->running, err);
	if (e != KH_OK) {
		kh_alloc_free(s->alloc, unit, sizeof(*unit));
		return e;
	}
	if (up->network.n > 0)
		allow_unit(unit);
	unit->next = fleet->units;
	fleet->units = unit;
	fleet->count++;
	*ret_unit = unit;
	return KH_OK;
}

/* The unit for a call of TOOL.  Called with the lock. */
static enum kh_err find_unit(struct kh_fleet *fleet, const struct kh_errand_tool *tool, struct unit **ret_unit,
			     struct unit **list, struct kh_error *err)
{
	const struct kh_config_upstream *up = kh_settings_upstream(fleet->config, tool->server);
	struct unit *unit = fleet->units;

	if (up == NULL || up->enabled == KH_CONFIG_FALSE)
		return kh_error_set(err, KH_EREFUSED, "unknown_upstream", "no such upstream server is configured");
	int64_t context = up->shared == KH_CONFIG_TRUE ? 0 : tool->context;
	struct kh_port *port;
	enum kh_err e = find_port(fleet, tool->server, &port, err);
	if (e != KH_OK)
		return e;
	if (is_spent(up, port))
		return kh_error_set(err, KH_EREFUSED, "server_held", SPENT);
	while (unit != NULL && (unit->port != port || unit->context != context || unit->is_leaving))
		unit = unit->next;
	if (unit == NULL) {
		e = begin_work(fleet, err);
		if (e == KH_OK && !make_room(fleet, list))
			e = kh_error_set(err, KH_EREFUSED, "server_busy",
					 "%d upstream servers are busy, and no more can run", KH_FLEET_SERVERS);
		if (e == KH_OK)
			e = add_unit(fleet, up, port, context, &unit, err);
	}
	*ret_unit = unit;
	return e;
}

static enum kh_err take_unit(struct kh_fleet *fleet, const struct kh_errand_tool *tool, struct unit **ret_unit,
			     struct kh_error *err)
{
	struct unit *list = NULL, *unit = NULL;

	pthread_mutex_lock(&fleet->lock);
	enum kh_err e = find_unit(fleet, tool, &unit, &list, err);
	if (unit != NULL) {
		unit->users++;
		unit->asked_ms = 0;
		pthread_cond_signal(&fleet->wake);
	}
	pthread_mutex_unlock(&fleet->lock);
	end_units(list);
	*ret_unit = unit;
	return e;
}

/* The call is over; IS_STALE: another unit has to be used for the next. */
static void leave_unit(struct unit *unit, bool is_stale)
{
	struct kh_fleet *fleet = unit->fleet;

	pthread_mutex_lock(&fleet->lock);
	unit->users--;
	unit->used_ms = kh_clock_ms();
	unit->is_leaving |= is_stale;
	if (unit->is_leaving)
		pthread_cond_signal(&fleet->wake);
	pthread_mutex_unlock(&fleet->lock);
}

void kh_fleet_reload(struct kh_fleet *fleet, const struct kh_config *config)
{
	struct kh_digest entry;

	pthread_mutex_lock(&fleet->lock);
	fleet->config = config;
	for (struct unit *unit = fleet->units; unit != NULL; unit = unit->next) {
		const struct kh_config_upstream *up = kh_settings_upstream(config, kh_port_name(unit->port));
		enum kh_server_phase phase = kh_running_state(unit->running).phase;
		bool stays = up != NULL && up->enabled != KH_CONFIG_FALSE &&
			     kh_launch_entry(&fleet->launch, up, &entry, NULL) == KH_OK &&
			     memcmp(&entry, &unit->entry, sizeof(entry)) == 0 &&
			     kh_toolrule_elicits(&config->policy, up->name) == unit->elicits;
		unit->is_leaving |= !stays || phase == KH_SERVER_PAUSED || phase == KH_SERVER_HELD;
	}
	pthread_cond_signal(&fleet->wake);
	pthread_mutex_unlock(&fleet->lock);
}

void kh_fleet_halt(struct kh_fleet *fleet)
{
	pthread_mutex_lock(&fleet->lock);
	for (struct unit *unit = fleet->units; unit != NULL; unit = unit->next) {
		unit->is_leaving = true;
		kh_running_stop(unit->running);
	}
	pthread_cond_signal(&fleet->wake);
	pthread_mutex_unlock(&fleet->lock);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

/* Waits for the lease of UNIT, which only a program needs; if it does not come, nothing is called. */
static enum kh_err await_lease(struct unit *unit, struct kh_running_call *call, struct kh_arena *arena)
{
	struct kh_error err = {.detail = ""};
	enum kh_err e = KH_OK;

	if (call->until_ms == 0)
		call->until_ms = kh_running_until(unit->running, call->errand);
	if (unit->up->command.n > 0)
		e = kh_holding_await(unit->fleet->leases, &unit->holding, call->until_ms, &unit->is_leaving, &err);
	if (e != KH_OK)
		call->response = (struct kh_upstream_response){
			.end = KH_RESPONSE_REFUSED, .code = err.code, .why = kh_arena_printf(arena, "%s", err.detail)};
	return e;
}

/* Calls one unit; *RET_AGAIN: it runs an older program than the one that was approved, and another may do. */
static enum kh_err call_unit(struct kh_fleet *fleet, struct kh_running_call *call, struct kh_arena *arena,
			     bool *ret_again)
{
	struct kh_error err = {.detail = ""};
	struct unit *unit = NULL;

	enum kh_err e = take_unit(fleet, call->errand->tool, &unit, &err);
	if (unit == NULL) {
		call->response = (struct kh_upstream_response){
			.end = KH_RESPONSE_REFUSED, .code = err.code, .why = kh_arena_printf(arena, "%s", err.detail)};
		return e == KH_ENOMEM ? e : KH_OK;
	}
	e = await_lease(unit, call, arena);
	if (e == KH_OK)
		e = kh_running_ask(unit->running, call, arena);
	else if (e != KH_ENOMEM)
		e = KH_OK;
	if (e == KH_OK && call->response.end != KH_RESPONSE_CAME)
		kh_port_say(unit->port, "a call of %.*s %s: %.*s",
			    KH_FMT(kh_arena_quote(arena, call->errand->tool->name)),
			    call->response.end == KH_RESPONSE_LOST ? "has an unknown end" : "was not sent",
			    KH_FMT(call->response.why));
	*ret_again = e == KH_OK && call->response.end == KH_RESPONSE_REFUSED && !call->is_fresh &&
		     strcmp(call->response.code, "program_changed") == 0;
	leave_unit(unit, *ret_again);
	return e;
}

enum kh_err kh_fleet_call(void *of, const struct kh_errand *errand, struct kh_arena *arena,
			  struct kh_errand_result *result)
{
	struct kh_running_call call = {.errand = errand};
	struct kh_fleet *fleet = of;
	bool good, again = false;

	enum kh_err e = kh_conclude_early(errand, arena, result, &good);
	if (e != KH_OK || !good)
		return e;
	e = call_unit(fleet, &call, arena, &again);
	if (e == KH_OK && again)
		e = call_unit(fleet, &call, arena, &again);
	return e == KH_OK ? kh_conclude(errand->tool, &call.response, arena, result) : e;
}
