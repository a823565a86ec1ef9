/* Asks in hand: a list under a lock, and a work for each. */
#include "gateway/dispatch.h"

#include "base/alloc.h"
#include "engine/outbox.h"
#include "engine/recover.h"

#include <pthread.h>

#define NAME   64                 /* bytes of a Reader's name */
#define PAUSE  INT64_C(50000)     /* microseconds until a Reader that is busy is tried again */
#define MEMORY ((size_t)64 << 20) /* of a look through the outbox */

struct ask {
	struct kh_work work; /* first: a work is its ask */
	struct kh_dispatch *asks;
	struct ask *next, **link;
	int64_t effect;
	bool runs;
	size_t name_length;
	char name[NAME];
};

struct kh_dispatch {
	struct kh_engine *engine;
	struct kh_works *works;
	pthread_mutex_t lock;
	struct ask *first; /* all that are in hand */
};

/* --- the list; the lock is held ----------------------------------------------------------------------------------- */

static void link_ask(struct kh_dispatch *asks, struct ask *ask)
{
	ask->next = asks->first;
	ask->link = &asks->first;
	if (ask->next != NULL)
		ask->next->link = &ask->next;
	asks->first = ask;
}

static void unlink_ask(struct ask *ask)
{
	*ask->link = ask->next;
	if (ask->next != NULL)
		ask->next->link = ask->link;
}

static bool is_in_hand(const struct kh_dispatch *asks, int64_t effect)
{
	for (const struct ask *a = asks->first; a != NULL; a = a->next) {
		if (a->effect == effect)
			return true;
	}
	return false;
}

/* Whether ASK's Reader has a place for it now; it is taken then. */
static bool takes_place(struct kh_dispatch *asks, struct ask *ask)
{
	struct kh_view name = kh_view_of(ask->name, ask->name_length);
	const struct kh_reader *reader = kh_engine_reader(asks->engine, name);
	uint64_t running = 0;

	for (const struct ask *a = asks->first; a != NULL; a = a->next)
		running += a->runs && kh_view_eq(kh_view_of(a->name, a->name_length), name);
	ask->runs = reader == NULL || reader->concurrency == 0 || running < reader->concurrency;
	return ask->runs;
}

/* --- carrying out ------------------------------------------------------------------------------------------------- */

static void end(struct ask *ask)
{
	struct kh_dispatch *asks = ask->asks;

	pthread_mutex_lock(&asks->lock);
	unlink_ask(ask);
	pthread_mutex_unlock(&asks->lock);
	kh_alloc_free(kh_engine_alloc(asks->engine), ask, sizeof(*ask));
}

static enum kh_work_next step(struct kh_work *work)
{
	struct ask *ask = (struct ask *)work;
	struct kh_dispatch *asks = ask->asks;
	struct kh_error err;

	if (!kh_works_is_stopping(asks->works)) {
		pthread_mutex_lock(&asks->lock);
		bool goes = takes_place(asks, ask);
		pthread_mutex_unlock(&asks->lock);
		if (!goes) {
			work->wake_at = kh_works_now() + PAUSE;
			return KH_WORK_WAIT;
		}
		/* A store that fails here fails every call too, which is where it is told; the ask stays in the outbox.
		 */
		(void)!kh_outbox_effect(asks->engine, ask->effect, &err);
	}
	end(ask);
	return KH_WORK_DONE;
}

void kh_dispatch_put(struct kh_dispatch *asks, int64_t effect, struct kh_view reader)
{
	const struct kh_alloc *alloc = kh_engine_alloc(asks->engine);
	struct ask *ask = kh_alloc_zero(alloc, sizeof(*ask));

	if (ask == NULL)
		return;
	ask->work.step = step;
	ask->asks = asks;
	ask->effect = effect;
	ask->name_length = reader.n < NAME ? reader.n : NAME;
	memcpy(ask->name, reader.p, ask->name_length);
	pthread_mutex_lock(&asks->lock);
	bool known = is_in_hand(asks, effect);
	if (!known)
		link_ask(asks, ask);
	pthread_mutex_unlock(&asks->lock);
	if (known)
		kh_alloc_free(alloc, ask, sizeof(*ask));
	else if (!kh_works_add(asks->works, &ask->work))
		end(ask);
}

enum kh_err kh_dispatch_recover(struct kh_dispatch *asks, struct kh_error *err)
{
	struct kh_recover call = {0};
	struct kh_arena arena;

	kh_arena_init(&arena, kh_engine_alloc(asks->engine), MEMORY);
	enum kh_err e = kh_engine_own(asks->engine, kh_recover_run, &call, &arena, err);
	/* A pure driver's ask may be under way in the thread that admitted it: asked twice, one answer counts. */
	for (size_t i = 0; e == KH_OK && i < call.count; i++)
		kh_dispatch_put(asks, call.effects[i], call.readers[i]);
	kh_arena_done(&arena);
	return e;
}

/* --- from the first to the last ----------------------------------------------------------------------------------- */

enum kh_err kh_dispatch_new(struct kh_engine *engine, unsigned threads, struct kh_dispatch **ret_asks,
			    struct kh_error *err)
{
	const struct kh_alloc *alloc = kh_engine_alloc(engine);
	struct kh_dispatch *asks = kh_alloc_zero(alloc, sizeof(*asks));

	if (asks == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	asks->engine = engine;
	enum kh_err e = kh_works_new(&(struct kh_works_settings){.alloc = alloc, .threads = threads}, &asks->works,
				     err);
	if (e != KH_OK) {
		kh_alloc_free(alloc, asks, sizeof(*asks));
		return e;
	}
	pthread_mutex_init(&asks->lock, NULL);
	*ret_asks = asks;
	return KH_OK;
}

bool kh_dispatch_stop(struct kh_dispatch *asks, int64_t timeout_us)
{
	return kh_works_stop(asks->works, timeout_us);
}

void kh_dispatch_free(struct kh_dispatch *asks)
{
	if (asks == NULL)
		return;
	const struct kh_alloc *alloc = kh_engine_alloc(asks->engine);
	kh_works_free(asks->works);
	pthread_mutex_destroy(&asks->lock);
	kh_alloc_free(alloc, asks, sizeof(*asks));
}

struct kh_works_figures kh_dispatch_figures(const struct kh_dispatch *asks)
{
	return kh_works_figures(asks->works);
}
