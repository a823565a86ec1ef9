/* The engine's memory, and screens for the threads that need one. */
#include "engine/state/engine.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/state/inforce.h"

#include <sodium.h>

int64_t kh_engine_now(const struct kh_engine *engine)
{
	return engine->settings.clock != NULL ? engine->settings.clock(engine->settings.ctx) : kh_clock_wall_us();
}

void kh_engine_random(const struct kh_engine *engine, unsigned char *bytes, size_t n)
{
	if (engine->settings.random != NULL)
		engine->settings.random(engine->settings.ctx, bytes, n);
	else
		randombytes_buf(bytes, n);
}

const unsigned char *kh_engine_id_key(const struct kh_engine *engine)
{
	return engine->id_key;
}

struct kh_tally *kh_engine_tally(const struct kh_engine *engine)
{
	return engine->tally;
}

struct kh_toolbox *kh_engine_toolbox(const struct kh_engine *engine)
{
	return engine->toolbox;
}

void kh_engine_prints_key(const struct kh_engine *engine, unsigned char ret_key[KH_PRINTS_KEY])
{
	static const char purpose[] = "fingerprints of content";

	crypto_generichash(ret_key, KH_PRINTS_KEY, (const unsigned char *)purpose, sizeof(purpose) - 1, engine->id_key,
			   sizeof(engine->id_key));
}

struct kh_store *kh_engine_store(const struct kh_engine *engine)
{
	return engine->settings.store;
}

const struct kh_policy *kh_engine_policy(const struct kh_engine *engine)
{
	return atomic_load(&engine->ruling)->policy;
}

const struct kh_alloc *kh_engine_alloc(const struct kh_engine *engine)
{
	return engine->settings.alloc;
}

int64_t kh_engine_keep_until(const struct kh_engine *engine, int64_t now)
{
	return engine->settings.retention > 0 ? now + engine->settings.retention : 0;
}

const struct kh_reader *kh_engine_readers(const struct kh_engine *engine, size_t *ret_count)
{
	const struct kh_inforce *ruling = atomic_load(&engine->ruling);

	*ret_count = ruling->reader_count;
	return ruling->readers;
}

const struct kh_reader *kh_engine_reader(const struct kh_engine *engine, struct kh_view name)
{
	const struct kh_inforce *ruling = atomic_load(&engine->ruling);

	for (size_t i = 0; i < ruling->reader_count; i++) {
		if (kh_view_eq(ruling->readers[i].name, name))
			return &ruling->readers[i];
	}
	return NULL;
}

const struct kh_reader *kh_engine_verifier(const struct kh_engine *engine, bool supervisor)
{
	const struct kh_inforce *ruling = atomic_load(&engine->ruling);

	for (size_t i = 0; i < ruling->reader_count; i++) {
		if (supervisor ? ruling->readers[i].supervises : ruling->readers[i].triages)
			return &ruling->readers[i];
	}
	return NULL;
}

enum kh_err kh_engine_errand(const struct kh_engine *engine, const struct kh_errand *errand, struct kh_arena *arena,
			     struct kh_errand_result *ret_result)
{
	return engine->settings.errands->run(kh_engine_tools(engine), errand, arena, ret_result);
}

bool kh_engine_can_run(const struct kh_engine *engine, struct kh_view operation)
{
	return engine->settings.errands != NULL && engine->settings.errands->can_run(operation);
}

const struct kh_errand_tools *kh_engine_tools(const struct kh_engine *engine)
{
	return atomic_load(&engine->ruling)->tools;
}

static void leave(struct kh_engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	engine->taken--;
	pthread_cond_signal(&engine->given);
	pthread_mutex_unlock(&engine->lock);
}

struct kh_engine_screen *kh_engine_screen_take(struct kh_engine *engine)
{
	const struct kh_alloc *alloc = engine->settings.alloc;
	struct kh_inforce *ruling = atomic_load(&engine->ruling);

	pthread_mutex_lock(&engine->lock);
	while (engine->taken == KH_ENGINE_SCREENS)
		pthread_cond_wait(&engine->given, &engine->lock);
	engine->taken++;
	struct kh_engine_screen *taken = ruling->spare;
	if (taken != NULL)
		ruling->spare = taken->next;
	pthread_mutex_unlock(&engine->lock);
	if (taken == NULL)
		taken = kh_inforce_screen(alloc, ruling);
	if (taken == NULL)
		leave(engine);
	return taken;
}

struct kh_screen *kh_engine_screen_of(struct kh_engine_screen *taken)
{
	return taken->screen;
}

void kh_engine_screen_give(struct kh_engine *engine, struct kh_engine_screen *taken)
{
	if (taken == NULL)
		return;
	pthread_mutex_lock(&engine->lock);
	taken->next = taken->ruling->spare;
	taken->ruling->spare = taken;
	pthread_mutex_unlock(&engine->lock);
	leave(engine);
}

/* A free share for TOKEN; NULL: there is none, or TOKEN has half of them. */
static int64_t *find_share(struct kh_engine *engine, int64_t token)
{
	int64_t *free_one = NULL;
	unsigned own = 0;

	for (size_t i = 0; i < KH_ENGINE_SCREENS; i++) {
		own += engine->sharing[i] == token;
		if (engine->sharing[i] == 0)
			free_one = &engine->sharing[i];
	}
	return own < KH_ENGINE_SCREENS / 2 ? free_one : NULL;
}

bool kh_engine_share_take(struct kh_engine *engine, int64_t token, bool wait)
{
	int64_t *share;

	pthread_mutex_lock(&engine->lock);
	while ((share = find_share(engine, token)) == NULL && wait)
		pthread_cond_wait(&engine->shared, &engine->lock);
	if (share != NULL)
		*share = token;
	pthread_mutex_unlock(&engine->lock);
	return share != NULL;
}

void kh_engine_share_give(struct kh_engine *engine, int64_t token)
{
	pthread_mutex_lock(&engine->lock);
	for (size_t i = 0; i < KH_ENGINE_SCREENS; i++) {
		if (engine->sharing[i] == token) {
			engine->sharing[i] = 0;
			break;
		}
	}
	pthread_cond_broadcast(&engine->shared);
	pthread_mutex_unlock(&engine->lock);
}
