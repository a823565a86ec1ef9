/*
 * Which tokens are still valid, for what outlives one operation: streams, waits, sessions, connections of relays.
 *
 * Every operation checks its token in its own transaction.  What waits between operations would not notice that its
 * token was revoked, by this process or another one on the same store, or has expired.  So a work reads the record, and
 * changes the epoch whenever a token may have ceased to be valid.  Whoever keeps something open compares epochs, and
 * asks for its token if they differ: within a second everything of a revoked token has ended.  Since it reads the record
 * anyway, it also reports that a human has approved tools of an upstream server, in any process.
 */
#ifndef KH_GATEWAY_VALIDITY_H
#define KH_GATEWAY_VALIDITY_H

#include "engine/engine.h"
#include "gateway/works.h"

struct kh_validity;

struct kh_validity_settings {
	struct kh_engine *engine;
	struct kh_works *works;
	void (*changed)(void *ctx); /* called with every change of the epoch: forget what is known of tokens */
	void (*offered)(void *ctx); /* the same if what agents are offered may have changed; may be NULL */
	void *ctx;
};

enum kh_err kh_validity_new(const struct kh_validity_settings *settings, struct kh_validity **ret_validity,
			    struct kh_error *err) KH_CHECKED;

/* After the works have stopped.  NULL is fine. */
void kh_validity_free(struct kh_validity *validity);

/* Never 0, so that 0 can stand for "not checked yet". */
uint64_t kh_validity_epoch(const struct kh_validity *validity);

/* Whether TOKEN is valid now.  Records nothing.  True if the store cannot be read: whoever calls is told that. */
bool kh_validity_holds(struct kh_validity *validity, struct kh_token_claim token);

#endif
