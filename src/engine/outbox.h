/*
 * Carrying out the outbox, after the commit, in the calling thread.
 */
#ifndef KH_ENGINE_OUTBOX_H
#define KH_ENGINE_OUTBOX_H

#include "engine/query/ask.h"
#include "engine/query/look.h"

/* Asks the Reader of effect ID and takes its response; and so on with what follows (retries, rounds), until the query
 * waits for a human, for its slot, or has ended.  A Reader that is an agent is not asked: that is its own to do. */
enum kh_err kh_outbox_effect(struct kh_engine *engine, int64_t id, struct kh_error *err) KH_CHECKED;

/* The same for an ask that an operation has handed out already (admit.h): its effects need not be looked up again. */
enum kh_err kh_outbox_ask(struct kh_engine *engine, const struct kh_ask *first, struct kh_arena *arena,
			  struct kh_error *err) KH_CHECKED;

/* Everything that waits for this process, what dead ones have left included (recover.h). */
enum kh_err kh_outbox_all(struct kh_engine *engine, struct kh_error *err) KH_CHECKED;

/*
 * Waits until LOOK's query has an outcome or a human is waited for, at most WAIT_MS; whoever has the ask carries it out
 * meanwhile.  The token is the Controller's.
 */
enum kh_err kh_outbox_wait(struct kh_engine *engine, struct kh_view token, struct kh_look *look, int64_t wait_ms,
			   struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

#endif
