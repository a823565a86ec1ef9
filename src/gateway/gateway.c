/*
 * Puts the gateway's parts together, knows its callers, and runs the minder.  The minder is a work like any other: it
 * ends what is due, takes over what dead processes left, and removes what is past its retention.
 */
#include "gateway/gateway.h"

#include "base/alloc.h"
#include "engine/due.h"
#include "engine/purging.h"
#include "gateway/dispatch.h"
#include "gateway/indexing.h"
#include "gateway/validity.h"
#include "store/checkpoint.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>

#define SECOND  INT64_C(1000000) /* microseconds */
#define OFTEN   (2 * SECOND)     /* between looks for due work and for work that dead processes left */
#define SELDOM  (60 * SECOND)    /* between purges */
#define WAIT    (50 * SECOND)    /* most clients give up after 60 */
#define THREADS 64
#define CALLERS 1024                /* tokens that are cached */
#define PENDING 10000               /* approvals that are counted; more count as so many */
#define MEMORY  ((size_t)256 << 20) /* bytes for one of the gateway's own operations */

/* A token that was seen, and who holds it. */
struct caller {
	struct kh_digest hash;
	struct kh_who who; /* who.token 0: none */
};

struct minder {
	struct kh_work work; /* first */
	struct kh_gateway *gateway;
	atomic_bool scans;     /* the outbox must be scanned now */
	int64_t often, seldom; /* when each is due next */
};

struct kh_gateway {
	struct kh_gateway_settings settings;
	struct kh_works *works;
	struct kh_dispatch *dispatch;
	struct kh_indexing *indexing;
	struct kh_validity *validity;
	struct minder minder;
	pthread_mutex_t lock;           /* guards callers */
	struct caller callers[CALLERS]; /* a token's place: its row id */
	atomic_uint_fast64_t outcomes[KH_GATEWAY_OUTCOMES];
	pthread_mutex_t hearing; /* guards the members that follow, also while `hear` runs */
	void (*hear)(void *ctx);
	void *hears;
};

struct kh_engine *kh_gateway_engine(const struct kh_gateway *gateway)
{
	return gateway->settings.engine;
}

struct kh_works *kh_gateway_works(const struct kh_gateway *gateway)
{
	return gateway->works;
}

int64_t kh_gateway_wait(const struct kh_gateway *gateway)
{
	return gateway->settings.wait;
}

/* --- who calls ---------------------------------------------------------------------------------------------------- */

static bool recall(struct kh_gateway *gateway, struct kh_token_claim token, struct kh_who *ret_who)
{
	const struct caller *known = &gateway->callers[token.id % CALLERS];

	pthread_mutex_lock(&gateway->lock);
	bool found = token.id != 0 && known->who.token == token.id &&
		     sodium_memcmp(&known->hash, &token.hash, sizeof(token.hash)) == 0;
	if (found)
		*ret_who = known->who;
	pthread_mutex_unlock(&gateway->lock);
	return found;
}

static void remember(struct kh_gateway *gateway, struct kh_token_claim token, const struct kh_who *who)
{
	pthread_mutex_lock(&gateway->lock);
	gateway->callers[token.id % CALLERS] = (struct caller){.hash = token.hash, .who = *who};
	pthread_mutex_unlock(&gateway->lock);
}

/* A token may have been revoked: each is looked up again. */
static void forget_callers(void *ctx)
{
	struct kh_gateway *gateway = ctx;

	pthread_mutex_lock(&gateway->lock);
	sodium_memzero(gateway->callers, sizeof(gateway->callers));
	pthread_mutex_unlock(&gateway->lock);
}

static void tell_offered(void *ctx)
{
	struct kh_gateway *gateway = ctx;

	pthread_mutex_lock(&gateway->hearing);
	if (gateway->hear != NULL)
		gateway->hear(gateway->hears);
	pthread_mutex_unlock(&gateway->hearing);
}

void kh_gateway_hear(struct kh_gateway *gateway, void (*fn)(void *ctx), void *ctx)
{
	pthread_mutex_lock(&gateway->hearing);
	gateway->hear = fn;
	gateway->hears = ctx;
	pthread_mutex_unlock(&gateway->hearing);
}

uint64_t kh_gateway_epoch(const struct kh_gateway *gateway)
{
	return kh_validity_epoch(gateway->validity);
}

bool kh_gateway_holds(struct kh_gateway *gateway, struct kh_token_claim token)
{
	return kh_validity_holds(gateway->validity, token);
}

enum kh_err kh_gateway_who(struct kh_gateway *gateway, struct kh_token_claim token, bool fresh, struct kh_who *ret_who,
			   struct kh_error *err)
{
	struct kh_arena arena;
	struct kh_who who = {0};

	if (!fresh && recall(gateway, token, ret_who))
		return KH_OK;
	kh_arena_init(&arena, kh_engine_alloc(gateway->settings.engine), MEMORY);
	enum kh_err e = kh_gateway_call(gateway, token, kh_who_run, &who, &arena, err);
	kh_arena_done(&arena);
	if (e != KH_OK)
		return e;
	remember(gateway, token, &who);
	*ret_who = who;
	return KH_OK;
}

enum kh_err kh_gateway_call(struct kh_gateway *gateway, struct kh_token_claim token, kh_engine_fn *fn, void *call,
			    struct kh_arena *arena, struct kh_error *err)
{
	enum kh_err e = kh_engine_call(gateway->settings.engine, token, fn, call, arena, err);

	return e == KH_ENOMEM ? kh_error_set(err, e, "out_of_memory", "out of memory") : e;
}

/* --- the outbox --------------------------------------------------------------------------------------------------- */

struct kh_dispatch *kh_gateway_dispatch(const struct kh_gateway *gateway)
{
	return gateway->dispatch;
}

void kh_gateway_look(struct kh_gateway *gateway)
{
	atomic_store(&gateway->minder.scans, true);
	kh_works_wake(&gateway->minder.work);
}

void kh_gateway_told(struct kh_gateway *gateway, enum kh_outcome outcome)
{
	if ((size_t)outcome < KH_GATEWAY_OUTCOMES)
		atomic_fetch_add(&gateway->outcomes[outcome], 1);
}

/* The approvals that wait. */
struct pending {
	struct kh_arena *arena;
	uint64_t count;
	int64_t oldest; /* requested_at */
};

static enum kh_err read_pending(struct kh_txn *txn, void *arg)
{
	struct pending *pending = arg;
	struct kh_approval_row row;
	int64_t *ids = NULL;
	size_t count = 0;

	kh_txn_use_arena(txn, pending->arena);
	enum kh_err e = kh_txn_find(txn, KH_INDEX_APPROVALS_PENDING, 0, KH_LIT(""), 0, PENDING, &ids, &count);
	if (e == KH_OK && count > 0)
		e = kh_txn_peek(txn, KH_TABLE_APPROVALS, ids[0], &row);
	if (e == KH_OK && count > 0)
		pending->oldest = row.requested_at;
	pending->count = count;
	return e;
}

static void count_pending(struct kh_gateway *gateway, struct kh_gateway_figures *figures)
{
	struct kh_engine *engine = gateway->settings.engine;
	struct pending pending = {0};
	struct kh_arena arena;
	struct kh_error err;

	kh_arena_init(&arena, kh_engine_alloc(engine), MEMORY);
	pending.arena = &arena;
	if (kh_store_read(kh_engine_store(engine), read_pending, &pending, &err) == KH_OK && pending.count > 0) {
		figures->pending = pending.count;
		figures->pending_oldest = kh_engine_now(engine) - pending.oldest;
	}
	kh_arena_done(&arena);
}

struct covering {
	struct kh_arena *arena;
	struct kh_checkpoint last;
	int64_t next; /* event */
};

static enum kh_err read_covering(struct kh_txn *txn, void *arg)
{
	struct covering *covering = arg;
	struct kh_digest hash;

	kh_txn_use_arena(txn, covering->arena);
	enum kh_err e = kh_checkpoint_last(txn, covering->arena, &covering->last, &hash);
	return e == KH_OK ? kh_txn_next_event(txn, &covering->next) : e;
}

static void find_covering(struct kh_gateway *gateway, struct kh_gateway_figures *figures)
{
	struct kh_engine *engine = gateway->settings.engine;
	struct covering covering = {0};
	struct kh_arena arena;
	struct kh_error err;

	kh_arena_init(&arena, kh_engine_alloc(engine), MEMORY);
	covering.arena = &arena;
	if (kh_store_read(kh_engine_store(engine), read_covering, &covering, &err) == KH_OK) {
		int64_t age = kh_engine_now(engine) - covering.last.at;
		figures->checkpoint_age = covering.last.n > 0 && age > 0 ? age : 0;
		figures->uncovered = (uint64_t)(covering.next - 1 - covering.last.last);
	}
	kh_arena_done(&arena);
}

struct kh_gateway_machine kh_gateway_machine(const struct kh_gateway *gateway)
{
	struct kh_gateway_machine machine = {.executor = true};

	if (gateway->settings.look != NULL)
		gateway->settings.look(gateway->settings.ctx, &machine);
	return machine;
}

struct kh_gateway_figures kh_gateway_figures(struct kh_gateway *gateway)
{
	struct kh_gateway_figures figures = {
		.calls = kh_works_figures(gateway->works),
		.outbox = kh_dispatch_figures(gateway->dispatch),
		.store = kh_store_figures(kh_engine_store(gateway->settings.engine)),
		.machine = kh_gateway_machine(gateway),
	};

	for (size_t i = 0; i < KH_GATEWAY_OUTCOMES; i++)
		figures.outcomes[i] = atomic_load(&gateway->outcomes[i]);
	figures.tally_count = kh_tally_copy(kh_engine_tally(gateway->settings.engine), figures.tally);
	count_pending(gateway, &figures);
	find_covering(gateway, &figures);
	return figures;
}

/* --- the minder --------------------------------------------------------------------------------------------------- */

/* Settles everything that is due; returns when the next is due, as kh_works_now() counts. */
static int64_t settle(struct kh_gateway *gateway, struct kh_arena *arena)
{
	struct kh_engine *engine = gateway->settings.engine;
	struct kh_due call = {.more = true};
	struct kh_error err;
	enum kh_err e = KH_OK;

	while (e == KH_OK && call.more) {
		call = (struct kh_due){0};
		e = kh_engine_own(engine, kh_due_run, &call, arena, &err);
		kh_arena_clear(arena);
	}
	return e == KH_OK && call.next != 0 ? kh_works_now() + (call.next - kh_engine_now(engine)) : INT64_MAX;
}

static void purge(struct kh_gateway *gateway, struct kh_arena *arena)
{
	int64_t count = 1;
	struct kh_error err;
	enum kh_err e = KH_OK;

	while (e == KH_OK && count > 0) {
		e = kh_purging_batch(gateway->settings.engine, arena, &count, &err);
		kh_arena_clear(arena);
	}
}

struct heeding {
	struct kh_arena *arena;
	bool is_halted;
};

static enum kh_err read_halted(struct kh_txn *txn, void *arg)
{
	struct heeding *heeding = arg;
	struct kh_system_row row;

	kh_txn_use_arena(txn, heeding->arena);
	enum kh_err e = kh_txn_peek(txn, KH_TABLE_SYSTEM, 1, &row);
	heeding->is_halted = e == KH_OK && row.halted_at != 0;
	return e;
}

/* Ends all upstream servers if a human has stopped everything, in whatever process he said so. */
static void heed(struct kh_gateway *gateway, struct kh_arena *arena)
{
	struct heeding heeding = {.arena = arena};
	struct kh_error err;

	if (gateway->settings.halt != NULL &&
	    kh_store_read(kh_engine_store(gateway->settings.engine), read_halted, &heeding, &err) == KH_OK &&
	    heeding.is_halted)
		gateway->settings.halt(gateway->settings.ctx);
	kh_arena_clear(arena);
}

/* A failure of the store is reported to whoever calls; here it is only tried again. */
static enum kh_work_next mind(struct kh_work *work)
{
	struct minder *minder = (struct minder *)work;
	struct kh_gateway *gateway = minder->gateway;
	struct kh_arena arena;
	struct kh_error err;
	int64_t due = INT64_MAX;

	if (kh_works_is_stopping(gateway->works))
		return KH_WORK_DONE;
	kh_arena_init(&arena, kh_engine_alloc(gateway->settings.engine), MEMORY);
	if (atomic_exchange(&minder->scans, false) || kh_works_now() >= minder->often) {
		(void)!kh_dispatch_recover(gateway->dispatch, &err);
		heed(gateway, &arena);
		minder->often = kh_works_now() + OFTEN;
	}
	due = settle(gateway, &arena);
	if (kh_works_now() >= minder->seldom) {
		purge(gateway, &arena);
		minder->seldom = kh_works_now() + SELDOM;
	}
	kh_arena_done(&arena);
	work->wake_at = due < minder->often ? due : minder->often;
	if (work->wake_at < kh_works_now() + SECOND / 100)
		work->wake_at = kh_works_now() + SECOND / 100; /* many are due one after the other: do not spin */
	return KH_WORK_WAIT;
}

/* --- start and stop ----------------------------------------------------------------------------------------------- */

static void apply_defaults(struct kh_gateway_settings *settings)
{
	if (settings->threads == 0)
		settings->threads = THREADS;
	if (settings->asks == 0)
		settings->asks = THREADS;
	if (settings->wait == 0)
		settings->wait = WAIT;
}

static enum kh_err start(struct kh_gateway *gateway, struct kh_error *err)
{
	struct kh_engine *engine = gateway->settings.engine;
	enum kh_err e = kh_works_new(&(struct kh_works_settings){.alloc = kh_engine_alloc(engine),
								 .threads = gateway->settings.threads,
								 .store = kh_engine_store(engine)},
				     &gateway->works, err);

	if (e == KH_OK)
		e = kh_dispatch_new(engine, gateway->settings.asks, gateway->works, &gateway->dispatch, err);
	if (e == KH_OK)
		e = kh_indexing_new(engine, &gateway->indexing, err);
	if (e == KH_OK)
		e = kh_validity_new(&(struct kh_validity_settings){.engine = engine,
								   .works = gateway->works,
								   .changed = forget_callers,
								   .offered = tell_offered,
								   .ctx = gateway},
				    &gateway->validity, err);
	if (e != KH_OK)
		return e;
	gateway->minder.gateway = gateway;
	gateway->minder.work.step = mind;
	return kh_works_add(gateway->works, &gateway->minder.work)
		       ? KH_OK
		       : kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
}

enum kh_err kh_gateway_new(const struct kh_gateway_settings *settings, struct kh_gateway **ret_gateway,
			   struct kh_error *err)
{
	const struct kh_alloc *alloc = kh_engine_alloc(settings->engine);
	struct kh_gateway *gateway = kh_alloc_zero(alloc, sizeof(*gateway));

	if (gateway == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	gateway->settings = *settings;
	apply_defaults(&gateway->settings);
	pthread_mutex_init(&gateway->lock, NULL);
	pthread_mutex_init(&gateway->hearing, NULL);
	enum kh_err e = start(gateway, err);
	if (e != KH_OK) {
		kh_gateway_free(gateway);
		return e;
	}
	*ret_gateway = gateway;
	return KH_OK;
}

static int64_t left_until(int64_t end)
{
	int64_t left = end - kh_works_now();

	return left > 0 ? left : 0;
}

bool kh_gateway_stop(struct kh_gateway *gateway, int64_t timeout_us)
{
	int64_t end = kh_works_now() + timeout_us;
	bool indexing = kh_indexing_stop(gateway->indexing, 0); /* starts no further run while the others finish */
	bool calls = kh_works_stop(gateway->works, timeout_us);
	bool outbox = kh_dispatch_stop(gateway->dispatch, left_until(end));

	indexing = indexing || kh_indexing_stop(gateway->indexing, left_until(end));
	return indexing && outbox && calls;
}

void kh_gateway_free(struct kh_gateway *gateway)
{
	if (gateway == NULL)
		return;
	const struct kh_alloc *alloc = kh_engine_alloc(gateway->settings.engine);
	kh_works_free(gateway->works);
	kh_dispatch_free(gateway->dispatch);
	kh_indexing_free(gateway->indexing);
	kh_validity_free(gateway->validity);
	pthread_mutex_destroy(&gateway->hearing);
	pthread_mutex_destroy(&gateway->lock);
	sodium_memzero(gateway->callers, sizeof(gateway->callers));
	kh_alloc_free(alloc, gateway, sizeof(*gateway));
}
