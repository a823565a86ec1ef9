/*
 * Leases of this process.
 *
 * One lock guards the list.  It is never held during a transaction: an entry that is being taken or given back is marked so,
 * and nobody else touches it meanwhile.
 */
#include "upstream/holding.h"

#include "base/clock.h"

#include <pthread.h>
#include <time.h>

#define POLL_MS 100 /* how often a call that waits tries again */

enum state {
	TAKING,  /* a transaction is under way */
	RESTING, /* this process has it, and nobody uses it; from ready_ms on it can be used, or given back */
	USED,
	GIVING, /* a transaction is under way */
};

/* A lease that this process has, or is about to have. */
struct entry {
	struct entry *next;
	char server[64];
	int64_t of;
	enum state state;
	int64_t ready_ms;
	bool is_wanted;
};

struct kh_holding_all {
	struct kh_holding_settings settings;
	pthread_mutex_t lock;
	struct entry *first;
};

enum kh_err kh_holding_all_new(const struct kh_holding_settings *settings, struct kh_holding_all **ret_all,
			       struct kh_error *err)
{
	struct kh_holding_all *all = settings->take != NULL ? kh_alloc_zero(settings->alloc, sizeof(*all)) : NULL;

	if (all == NULL && settings->take != NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	*ret_all = all;
	if (all == NULL)
		return KH_OK;
	all->settings = *settings;
	(void)pthread_mutex_init(&all->lock, NULL);
	return KH_OK;
}

/* --- the list, with the lock -------------------------------------------------------------------------------------- */

static struct entry *find(const struct kh_holding_all *all, struct kh_view server, int64_t of)
{
	struct entry *entry = all->first;

	while (entry != NULL && (entry->of != of || !kh_view_eq(kh_view_str(entry->server), server)))
		entry = entry->next;
	return entry;
}

static struct entry *add(struct kh_holding_all *all, const struct kh_holding *holding)
{
	struct entry *entry = kh_alloc_zero(all->settings.alloc, sizeof(*entry));

	if (entry == NULL || holding->server.n >= sizeof(entry->server)) { /* the configuration allows less */
		kh_alloc_free(all->settings.alloc, entry, sizeof(*entry));
		return NULL;
	}
	memcpy(entry->server, holding->server.p, holding->server.n);
	entry->of = holding->of;
	entry->state = TAKING;
	entry->next = all->first;
	all->first = entry;
	return entry;
}

static void remove_entry(struct kh_holding_all *all, struct entry *entry)
{
	struct entry **at = &all->first;

	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	kh_alloc_free(all->settings.alloc, entry, sizeof(*entry));
}

/* --- taking ------------------------------------------------------------------------------------------------------- */

/* Takes a lease that this process does not have.  Called with the lock, which it gives up meanwhile. */
static enum kh_err take(struct kh_holding_all *all, const struct kh_holding *holding, struct kh_error *err)
{
	enum kh_holding_taken taken = KH_HOLDING_NOT;
	struct entry *entry = add(all, holding);

	if (entry == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	pthread_mutex_unlock(&all->lock);
	enum kh_err e = all->settings.take(all->settings.context, holding->server, holding->of, &taken, err);
	pthread_mutex_lock(&all->lock);
	if (e != KH_OK || taken == KH_HOLDING_NOT) {
		remove_entry(all, entry);
		return e;
	}
	entry->state = RESTING;
	entry->ready_ms = taken == KH_HOLDING_HEIR ? kh_clock_ms() + KH_HOLDING_SETTLE_MS : 0;
	return KH_OK;
}

/* One try; KH_OK whether HOLDING has it then or not.  Called with the lock. */
static enum kh_err try_once(struct kh_holding_all *all, struct kh_holding *holding, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	if (find(all, holding->server, holding->of) == NULL)
		e = take(all, holding, err);
	struct entry *entry = e == KH_OK ? find(all, holding->server, holding->of) : NULL;
	if (entry != NULL && entry->state == RESTING && kh_clock_ms() >= entry->ready_ms) {
		entry->state = USED;
		entry->is_wanted = false;
		holding->is_held = true;
	}
	return e;
}

static void pause_for(int64_t ms)
{
	struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	(void)nanosleep(&pause, NULL);
}

enum kh_err kh_holding_await(struct kh_holding_all *all, struct kh_holding *holding, int64_t until_ms,
			     const atomic_bool *stop, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	while (all != NULL) {
		pthread_mutex_lock(&all->lock);
		if (!holding->is_held && !atomic_load(stop))
			e = try_once(all, holding, err);
		bool is_held = holding->is_held;
		const struct entry *entry = find(all, holding->server, holding->of);
		/* If this process has it, the program that it was used for has not ended. */
		bool is_here = entry != NULL && entry->state != TAKING;
		pthread_mutex_unlock(&all->lock);
		if (e != KH_OK || is_held)
			return e;
		if (atomic_load(stop))
			return kh_error_set(err, KH_EREFUSED, "server_held", "it was stopped");
		if (kh_clock_ms() + POLL_MS >= until_ms)
			return kh_error_set(
				err, KH_EREFUSED, "held_elsewhere",
				is_here ? "an older process of it has not ended in time"
					: "it is held by another gateway, which did not give it back in time");
		pause_for(POLL_MS);
	}
	return e;
}

/* --- giving back -------------------------------------------------------------------------------------------------- */

void kh_holding_drop(struct kh_holding_all *all, struct kh_holding *holding)
{
	if (all == NULL)
		return;
	pthread_mutex_lock(&all->lock);
	struct entry *entry = holding->is_held ? find(all, holding->server, holding->of) : NULL;
	if (entry != NULL) {
		entry->state = RESTING;
		entry->ready_ms = kh_clock_ms() + KH_HOLDING_SETTLE_MS;
	}
	holding->is_held = false;
	pthread_mutex_unlock(&all->lock);
}

bool kh_holding_is_wanted(struct kh_holding_all *all, const struct kh_holding *holding)
{
	if (all == NULL)
		return false;
	pthread_mutex_lock(&all->lock);
	const struct entry *entry = holding->is_held ? find(all, holding->server, holding->of) : NULL;
	bool is_wanted = entry != NULL && entry->is_wanted;
	pthread_mutex_unlock(&all->lock);
	return is_wanted;
}

/* Gives ENTRY back; if that cannot be recorded, it stays.  Called with the lock, which it gives up meanwhile. */
static bool give(struct kh_holding_all *all, struct entry *entry)
{
	struct kh_error err = {.detail = ""};

	entry->state = GIVING;
	pthread_mutex_unlock(&all->lock);
	enum kh_err e = all->settings.give(all->settings.context, kh_view_str(entry->server), entry->of, &err);
	pthread_mutex_lock(&all->lock);
	if (e == KH_OK) {
		remove_entry(all, entry);
		return true;
	}
	entry->state = RESTING;
	entry->ready_ms = kh_clock_ms() + KH_HOLDING_SETTLE_MS;
	return false;
}

/* The first that can be given back at NOW. */
static struct entry *find_ready(const struct kh_holding_all *all, int64_t now)
{
	struct entry *entry = all->first;

	while (entry != NULL && (entry->state != RESTING || now < entry->ready_ms))
		entry = entry->next;
	return entry;
}

static void note_wanted(void *arg, struct kh_view server, int64_t of)
{
	struct kh_holding_all *all = arg;

	pthread_mutex_lock(&all->lock);
	struct entry *entry = find(all, server, of);
	if (entry != NULL && entry->state == USED)
		entry->is_wanted = true;
	pthread_mutex_unlock(&all->lock);
}

bool kh_holding_tend(struct kh_holding_all *all)
{
	int64_t now = kh_clock_ms();
	struct entry *entry;
	bool uses = false, rests = false;

	if (all == NULL)
		return false;
	pthread_mutex_lock(&all->lock);
	while ((entry = find_ready(all, now)) != NULL)
		(void)give(all, entry);
	for (entry = all->first; entry != NULL; entry = entry->next) {
		uses |= entry->state == USED;
		rests |= entry->state == RESTING;
	}
	pthread_mutex_unlock(&all->lock);
	/* What could not be found out now is found out the next time. */
	if (uses)
		(void)!all->settings.wanted(all->settings.context, note_wanted, all);
	return rests;
}

void kh_holding_all_free(struct kh_holding_all *all)
{
	if (all == NULL)
		return;
	pthread_mutex_lock(&all->lock);
	if (all->first != NULL)
		pause_for(KH_HOLDING_SETTLE_MS);
	while (all->first != NULL) {
		/* If it cannot be recorded, others find that this process is gone. */
		if (!give(all, all->first))
			remove_entry(all, all->first);
	}
	pthread_mutex_unlock(&all->lock);
	(void)pthread_mutex_destroy(&all->lock);
	kh_alloc_free(all->settings.alloc, all, sizeof(*all));
}
