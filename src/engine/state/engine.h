/*
 * The engine as its operations see it: the configuration in force, the clock, random numbers, keys.  The engine keeps
 * no state that the store could not rebuild.  Callers of operations include engine/engine.h instead.
 */
#ifndef KH_ENGINE_STATE_ENGINE_H
#define KH_ENGINE_STATE_ENGINE_H

#include "core/bcp/reader.h"
#include "core/block/prints.h"
#include "core/comm/errand.h"
#include "core/policy/policy.h"
#include "engine/state/tally.h"
#include "store/txn.h"

struct kh_engine;
struct kh_toolbox;

/* The configured Readers, in their order.  They live as long as the engine. */
const struct kh_reader *kh_engine_readers(const struct kh_engine *engine, size_t *ret_count);

/* The configured Reader of this name, or NULL. */
const struct kh_reader *kh_engine_reader(const struct kh_engine *engine, struct kh_view name);

/* The Reader that verifies calls (K7), in tier 3 if SUPERVISOR, otherwise in tier 2; NULL: none is configured. */
const struct kh_reader *kh_engine_verifier(const struct kh_engine *engine, bool supervisor);

/* Carries ERRAND out, for as long as that takes. */
enum kh_err kh_engine_errand(const struct kh_engine *engine, const struct kh_errand *errand, struct kh_arena *arena,
			     struct kh_errand_result *ret_result) KH_CHECKED;

/* True if there is somebody to carry OPERATION out. */
bool kh_engine_can_run(const struct kh_engine *engine, struct kh_view operation);

/* The tools that errands need, or NULL.  They live as long as the engine. */
const struct kh_errand_tools *kh_engine_tools(const struct kh_engine *engine);

/*
 * A screen for the calling thread, with the rules in force.  The caller has to give it back.  There are at most
 * KH_ENGINE_SCREENS at once, because using them takes memory; if all are taken, the caller waits.  NULL if memory has
 * run out.
 */
#define KH_ENGINE_SCREENS 8
struct kh_engine_screen;
struct kh_engine_screen *kh_engine_screen_take(struct kh_engine *engine);
struct kh_screen *kh_engine_screen_of(struct kh_engine_screen *taken);
void kh_engine_screen_give(struct kh_engine *engine, struct kh_engine_screen *taken);

/*
 * A share of the work on content, for a call of TOKEN.  One token has at most half of KH_ENGINE_SCREENS at once, so that
 * others find a screen.  If it has them, the caller waits, or this returns false.
 */
bool kh_engine_share_take(struct kh_engine *engine, int64_t token, bool wait) KH_CHECKED;
void kh_engine_share_give(struct kh_engine *engine, int64_t token);

const struct kh_alloc *kh_engine_alloc(const struct kh_engine *engine);
struct kh_tally *kh_engine_tally(const struct kh_engine *engine);
struct kh_toolbox *kh_engine_toolbox(const struct kh_engine *engine);
struct kh_store *kh_engine_store(const struct kh_engine *engine);
const struct kh_policy *kh_engine_policy(const struct kh_engine *engine);
int64_t kh_engine_now(const struct kh_engine *engine);
void kh_engine_random(const struct kh_engine *engine, unsigned char *bytes, size_t n);

/* When content that comes in now may be purged (L5); 0: never. */
int64_t kh_engine_keep_until(const struct kh_engine *engine, int64_t now);

/* The key of public ids (publicid.h). */
const unsigned char *kh_engine_id_key(const struct kh_engine *engine);

/* The secret with which fingerprints of this store's content are made (core/block/prints.h). */
void kh_engine_prints_key(const struct kh_engine *engine, unsigned char ret_key[KH_PRINTS_KEY]);

#endif
