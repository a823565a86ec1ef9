/* Entries in hand: a list under a lock, the oldest first.  Each entry has a work, with an arena of its own. */
#include "gateway/dispatch.h"

#include "base/alloc.h"
#include "engine/engine.h"
#include "engine/recover.h"
#include "gateway/turns.h"

#include <pthread.h>

#define MEMORY ((size_t)1 << 30) /* bytes for one entry, or for a scan of the outbox */
#define AGAIN  INT64_C(1000000)  /* microseconds until a failed store is tried again */

struct item {
	struct kh_work work; /* first: a work is cast to its item */
	struct kh_dispatch *dispatch;
	struct item *next, *prev;
	struct kh_arena arena;
	struct kh_entry entry;   /* in the arena; replaced by the entry that follows from it */
	enum kh_entry_kind kind; /* this and the members below: as the entry was put in */
	int64_t id, task;
	int64_t ticket;        /* of a call that waits for its turn */
	int64_t token;         /* the Controller's, row; 0: an ask */
	struct kh_view reader; /* in the arena */
	bool runs, waits;      /* it has a place, or it waits for one */
};

struct kh_dispatch {
	struct kh_engine *engine;
	struct kh_works *works, *callers;
	struct kh_turns *turns;
	unsigned most;
	pthread_mutex_t lock;
	struct item *first, *last; /* all that are in hand */
};

/* --- the list; the lock is held ----------------------------------------------------------------------------------- */

static void link_item(struct kh_dispatch *d, struct item *item)
{
	item->prev = d->last;
	if (d->last != NULL)
		d->last->next = item;
	else
		d->first = item;
	d->last = item;
}

static void unlink_item(struct kh_dispatch *d, struct item *item)
{
	if (item->prev != NULL)
		item->prev->next = item->next;
	else
		d->first = item->next;
	if (item->next != NULL)
		item->next->prev = item->prev;
	else
		d->last = item->prev;
}

static bool is_ask(const struct item *item)
{
	return item->kind == KH_ENTRY_ASK;
}

static bool is_turn(const struct item *item)
{
	return item->kind == KH_ENTRY_DECIDE;
}

/* Whether both have their places from the same number of them. */
static bool is_alike(const struct item *a, const struct item *b)
{
	return is_ask(a) == is_ask(b) && is_turn(a) == is_turn(b);
}

/*
 * Whether ITEM is in the list already.  An errand never is: only the call that has begun it hands it out, once.  A call
 * that waits for its turn is another one each time.
 */
static bool is_in_hand(const struct kh_dispatch *d, const struct item *item)
{
	bool found = false;

	for (const struct item *i = d->first; i != NULL && !found; i = i->next)
		found = i->kind == item->kind && i->id == item->id;
	return found && item->kind != KH_ENTRY_ERRAND && !is_turn(item);
}

/* How many at once there may be of those that share something with ITEM; 0: any number. */
static uint64_t most_shared(const struct kh_dispatch *d, const struct item *item)
{
	if (is_turn(item))
		return 1;
	if (!is_ask(item))
		return (d->most + 1) / 2;
	const struct kh_reader *reader = kh_engine_reader(d->engine, item->reader);
	return reader != NULL ? reader->concurrency : 0;
}

/* Whether two that are alike share a Reader or, if they are not asks, a token. */
static bool is_shared(const struct item *a, const struct item *b)
{
	return is_ask(a) ? kh_view_eq(a->reader, b->reader) : a->token == b->token;
}

/* Whether there is a place for ITEM; *RET_SHARED: how many have one and share something with it. */
static bool has_place(const struct kh_dispatch *d, const struct item *item, uint64_t *ret_shared)
{
	uint64_t most = most_shared(d, item), kind = 0;

	*ret_shared = 0;
	for (const struct item *i = d->first; i != NULL; i = i->next) {
		bool same = i->runs && is_alike(i, item);
		kind += same;
		*ret_shared += same && is_shared(i, item);
	}
	return kind < d->most && (most == 0 || *ret_shared < most);
}

/*
 * The item that has waited longest among those that can have a place beside ITEM.  Of errands: of the token that has
 * fewest places, so that tokens take turns.  NULL: there is none.
 */
static struct item *find_next(const struct kh_dispatch *d, const struct item *item)
{
	struct item *next = NULL;
	uint64_t least = UINT64_MAX, shared;

	for (struct item *i = d->first; i != NULL; i = i->next) {
		if (!i->waits || !is_alike(i, item) || !has_place(d, i, &shared))
			continue;
		if (is_ask(item))
			return i;
		if (shared < least)
			next = i;
		least = shared < least ? shared : least;
	}
	return next;
}

/* ITEM has left its place: wakes the item that gets it. */
static void leave_place(struct kh_dispatch *d, struct item *item)
{
	item->runs = false;
	struct item *next = find_next(d, item);
	if (next == NULL)
		return;
	next->waits = false;
	kh_works_wake(&next->work);
}

/* --- carrying out ------------------------------------------------------------------------------------------------- */

static void free_item(struct item *item)
{
	const struct kh_alloc *alloc = kh_engine_alloc(item->dispatch->engine);

	kh_arena_done(&item->arena);
	kh_alloc_free(alloc, item, sizeof(*item));
}

static enum kh_work_next finish(struct item *item)
{
	struct kh_dispatch *d = item->dispatch;

	pthread_mutex_lock(&d->lock);
	unlink_item(d, item);
	leave_place(d, item);
	pthread_mutex_unlock(&d->lock);
	if (is_turn(item))
		kh_works_wake_chain(d->callers, kh_turns_chain(item->ticket));
	else if (!is_ask(item))
		kh_works_wake_chain(d->callers, item->task);
	free_item(item);
	return KH_WORK_DONE;
}

/* Takes a place if there is one; otherwise the item that leaves one wakes ITEM. */
static bool take_place(struct item *item)
{
	struct kh_dispatch *d = item->dispatch;
	uint64_t shared;

	pthread_mutex_lock(&d->lock);
	item->runs = has_place(d, item, &shared);
	item->waits = !item->runs;
	bool runs = item->runs;
	pthread_mutex_unlock(&d->lock);
	return runs;
}

/* Gives its place to another, and goes on after US microseconds. */
static enum kh_work_next rest(struct item *item, int64_t us)
{
	struct kh_dispatch *d = item->dispatch;

	pthread_mutex_lock(&d->lock);
	leave_place(d, item);
	pthread_mutex_unlock(&d->lock);
	item->work.wake_at = kh_works_now() + us;
	return KH_WORK_WAIT;
}

/*
 * The disk is full.  An errand has taken place, and its end must be recorded before anybody can be told.  It is tried
 * until the store accepts it; at a stop it is left to the next start.
 */
static enum kh_work_next try_later(struct item *item)
{
	return kh_works_is_stopping(item->dispatch->works) ? finish(item) : rest(item, AGAIN);
}

/* The turn of a call has come, or will not come any more: what is decided, and handed out, is told to its caller. */
static enum kh_work_next take_turn(struct item *item, bool stops)
{
	struct kh_dispatch *d = item->dispatch;
	struct kh_error err = {.offset = SIZE_MAX};
	enum kh_err e = stops ? kh_error_set(&err, KH_ESTORE, "stopping", "the gateway is stopping; call again")
			      : kh_outbox_step(d->engine, &item->entry, &item->arena, &err);

	struct kh_view id = e == KH_OK ? item->entry.call.look.id : KH_LIT("");
	if (e == KH_OK && item->entry.kind != KH_ENTRY_NONE)
		e = kh_dispatch_put(d, &item->entry, &err);
	kh_turns_close(d->turns, item->ticket, e, &err, id);
	return finish(item);
}

static enum kh_work_next step(struct kh_work *work)
{
	struct item *item = (struct item *)work;
	struct kh_dispatch *d = item->dispatch;
	bool begun = item->entry.kind == KH_ENTRY_ERRAND, stops = kh_works_is_stopping(d->works);
	struct kh_error err;

	if (!begun && stops)
		return is_turn(item) ? take_turn(item, true) : finish(item);
	if (!take_place(item))
		return KH_WORK_WAIT;
	if (is_turn(item))
		return take_turn(item, false);
	enum kh_err e = KH_OK;
	while (e == KH_OK && item->entry.kind != KH_ENTRY_NONE) {
		int64_t early = kh_outbox_early(d->engine, &item->entry);
		if (early > 0)
			return rest(item, early);
		e = kh_outbox_step(d->engine, &item->entry, &item->arena, &err);
	}
	/* A store that fails here also fails every call, and the callers are told; an ask stays in the outbox. */
	return e != KH_OK && item->entry.lost ? try_later(item) : finish(item);
}

/* --- putting in --------------------------------------------------------------------------------------------------- */

static struct item *new_item(struct kh_dispatch *d, const struct kh_entry *entry)
{
	const struct kh_alloc *alloc = kh_engine_alloc(d->engine);
	struct item *item = kh_alloc_zero(alloc, sizeof(*item));

	if (item == NULL)
		return NULL;
	item->dispatch = d;
	item->work.step = step;
	kh_arena_init(&item->arena, alloc, MEMORY);
	if (kh_outbox_copy(&item->arena, entry, &item->entry) != KH_OK) {
		free_item(item);
		return NULL;
	}
	item->kind = entry->kind;
	item->id = entry->id;
	item->task = entry->task;
	item->token = entry->token.id;
	item->reader = item->entry.reader;
	return item;
}

/* The errand was begun, but nobody can carry it out: it is recorded as failed. */
static enum kh_err refuse(struct kh_dispatch *d, const struct kh_entry *entry, struct kh_error *err)
{
	enum kh_err e = kh_outbox_give_up(d->engine, entry, err);

	if (entry->kind == KH_ENTRY_ASK)
		return KH_OK; /* it is still in the store's outbox */
	return e != KH_OK ? e : kh_error_set(err, KH_ESTORE, "busy", "the gateway cannot carry it out now");
}

static enum kh_err put(struct kh_dispatch *d, const struct kh_entry *entry, int64_t ticket, struct kh_error *err)
{
	struct item *item = new_item(d, entry);

	if (item == NULL)
		return refuse(d, entry, err);
	item->ticket = ticket;
	pthread_mutex_lock(&d->lock);
	bool known = is_in_hand(d, item);
	if (!known)
		link_item(d, item);
	pthread_mutex_unlock(&d->lock);
	if (known) {
		free_item(item);
		return KH_OK;
	}
	if (kh_works_add(d->works, &item->work))
		return KH_OK;
	finish(item);
	return refuse(d, entry, err);
}

enum kh_err kh_dispatch_put(struct kh_dispatch *d, const struct kh_entry *entry, struct kh_error *err)
{
	return put(d, entry, 0, err);
}

enum kh_err kh_dispatch_queue(struct kh_dispatch *d, struct kh_token_claim token, const struct kh_comm_call *call,
			      int64_t *ret_ticket, struct kh_error *err)
{
	struct kh_entry entry = kh_outbox_of_turn(token, call);
	int64_t ticket = kh_turns_open(d->turns);
	struct kh_turns_result none;

	if (ticket == 0)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	enum kh_err e = put(d, &entry, ticket, err);
	if (e == KH_OK) {
		*ret_ticket = ticket;
		return KH_OK;
	}
	kh_turns_close(d->turns, ticket, e, NULL, KH_LIT(""));
	(void)kh_turns_take(d->turns, ticket, &none);
	return e;
}

bool kh_dispatch_queues(struct kh_dispatch *d, struct kh_token_claim token)
{
	bool found = false;

	pthread_mutex_lock(&d->lock);
	for (const struct item *i = d->first; i != NULL && !found; i = i->next)
		found = is_turn(i) && i->token == token.id;
	pthread_mutex_unlock(&d->lock);
	return found;
}

struct kh_turns *kh_dispatch_turns(const struct kh_dispatch *d)
{
	return d->turns;
}

enum kh_err kh_dispatch_recover(struct kh_dispatch *d, struct kh_error *err)
{
	struct kh_recover call = {0};
	struct kh_arena arena;

	kh_arena_init(&arena, kh_engine_alloc(d->engine), MEMORY);
	enum kh_err e = kh_engine_own(d->engine, kh_recover_run, &call, &arena, err);
	/*
	 * A pure driver's ask may be under way in the thread that admitted it.  If it is asked twice, one answer
	 * counts.
	 */
	for (size_t i = 0; e == KH_OK && i < call.count; i++) {
		struct kh_entry entry = kh_outbox_of_effect(call.effects[i], call.readers[i]);
		e = kh_dispatch_put(d, &entry, err);
	}
	kh_arena_done(&arena);
	return e;
}

bool kh_dispatch_has(struct kh_dispatch *d, int64_t declaration)
{
	bool found = false;

	pthread_mutex_lock(&d->lock);
	for (const struct item *i = d->first; i != NULL && !found; i = i->next)
		found = !is_ask(i) && !is_turn(i) && i->id == declaration;
	pthread_mutex_unlock(&d->lock);
	return found;
}

/* --- start and stop ----------------------------------------------------------------------------------------------- */

enum kh_err kh_dispatch_new(struct kh_engine *engine, unsigned most, struct kh_works *callers,
			    struct kh_dispatch **ret_dispatch, struct kh_error *err)
{
	const struct kh_alloc *alloc = kh_engine_alloc(engine);
	struct kh_dispatch *d = kh_alloc_zero(alloc, sizeof(*d));

	if (d == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	d->engine = engine;
	d->callers = callers;
	d->most = most;
	d->turns = kh_turns_new(alloc);
	/* One thread for every place, so that asks, errands and turns never wait for each other. */
	enum kh_err e = d->turns == NULL
				? kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory")
				: kh_works_new(&(struct kh_works_settings){.alloc = alloc, .threads = 3 * most},
					       &d->works, err);
	if (e != KH_OK) {
		kh_turns_free(d->turns);
		kh_alloc_free(alloc, d, sizeof(*d));
		return e;
	}
	pthread_mutex_init(&d->lock, NULL);
	*ret_dispatch = d;
	return KH_OK;
}

bool kh_dispatch_stop(struct kh_dispatch *d, int64_t timeout_us)
{
	return kh_works_stop(d->works, timeout_us);
}

void kh_dispatch_free(struct kh_dispatch *d)
{
	if (d == NULL)
		return;
	const struct kh_alloc *alloc = kh_engine_alloc(d->engine);
	kh_works_free(d->works);
	kh_turns_free(d->turns);
	pthread_mutex_destroy(&d->lock);
	kh_alloc_free(alloc, d, sizeof(*d));
}

struct kh_works_figures kh_dispatch_figures(const struct kh_dispatch *d)
{
	return kh_works_figures(d->works);
}
