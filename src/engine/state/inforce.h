/*
 * What an engine has in memory: a policy with what is made from it, replaced as a whole.  Only state/engine.c and
 * engine/engine.c use this; operations see it through state/engine.h.
 */
#ifndef KH_ENGINE_STATE_INFORCE_H
#define KH_ENGINE_STATE_INFORCE_H

#include "core/policy/quota.h"
#include "engine/state/engine.h"
#include "engine/state/publicid.h"
#include "engine/state/settings.h"

#include <pthread.h>
#include <stdatomic.h>

struct kh_rules;

/* A policy and what is made from it.  Whoever has begun with one ends with it, so all of them are kept. */
struct kh_inforce {
	const struct kh_policy *policy;
	const struct kh_reader *readers;
	size_t reader_count;
	const struct kh_errand_tools *tools;
	struct kh_arena arena; /* for the operator's own rules, which the compiled ones refer to */
	struct kh_rules *rules;
	struct kh_engine_screen *spare; /* given back; under the engine's lock */
	struct kh_inforce *before;
};

/* A screen for one thread. */
struct kh_engine_screen {
	struct kh_screen *screen;
	struct kh_inforce *ruling; /* the one that it was made for */
	struct kh_engine_screen *next;
};

struct kh_refusals;
struct kh_tally;

struct kh_engine {
	struct kh_engine_settings settings;
	_Atomic(struct kh_inforce *) ruling; /* changed only by the store's thread */
	pthread_mutex_t lock;                /* guards all spare screens, and */
	unsigned taken;                      /* how many are in use */
	pthread_cond_t given;                /* one was given back */
	int64_t sharing[KH_ENGINE_SCREENS];  /* the token of each share (kh_engine_share_take()); 0: free; same lock */
	pthread_cond_t shared;               /* one is free again */
	unsigned char id_key[KH_PUBLICID_KEY];
	int64_t last; /* used by the store's thread: time never goes back */
	struct kh_tally *tally;
	struct kh_toolbox *toolbox;
	struct kh_refusals *refusals; /* likewise: callers that are refused cannot fill the record */
};

/* A screen with RULING's rules; NULL: out of memory. */
struct kh_engine_screen *kh_inforce_screen(const struct kh_alloc *alloc, struct kh_inforce *ruling);

/* FROM has the policy, Readers and tools; the rest is made from them. */
enum kh_err kh_inforce_new(const struct kh_alloc *alloc, const struct kh_inforce *from, struct kh_inforce **ret_ruling,
			   struct kh_error *err) KH_CHECKED;
void kh_inforce_free(const struct kh_alloc *alloc, struct kh_inforce *ruling);

#endif
