/*
 * Asking a Reader: the outbox's entries.
 *
 * ask.begin (called by Keyhole itself): takes a waiting effect, uses the grant of an escalation (A2), marks the effect
 * begun if the driver is not pure, and hands out what the Reader is to get.  ask.next (reader): the same for an agent
 * with a reader's token.  It gets the oldest ask that waits for it; as long as it has not answered what it was given,
 * it gets only asks of the same task (I3: one task at a time).
 */
#ifndef KH_ENGINE_QUERY_ASK_H
#define KH_ENGINE_QUERY_ASK_H

#include "engine/state/op.h"

struct kh_ask {
	int64_t effect; /* in: ask.begin; out: ask.next */
	bool mark;      /* mark it begun */
	/* out */
	bool found; /* ask.next: there was one.  ask.begin: false if it no longer waits, or became void */
	struct kh_reader_ask ask;
	struct kh_query_row *query;
	size_t round;
	bool unread; /* the content could not be read: it must not be asked, and its end is to be recorded */
	const int64_t *ids;
	struct kh_reader_block *blocks; /* the same as the ask's */
};
enum kh_err kh_ask_begin_run(struct kh_op *op, void *call);
enum kh_err kh_ask_next_run(struct kh_op *op, void *call);
enum kh_err kh_ask_finish(struct kh_engine *engine, struct kh_arena *arena, void *call, struct kh_error *err);

/*
 * Not operations.  Puts a new effect for QUERY's present round into the outbox, as query->effect; PREV: the accepted
 * ask of the previous round; AGAIN: the code of the try before, which the Reader is told, or empty.  The next event
 * writes it.
 */
enum kh_err kh_ask_put(struct kh_op *op, struct kh_query_row *query, int64_t prev, struct kh_view again) KH_CHECKED;

/*
 * Whether the content that QUERY is about still exists.  If it was purged, the query has failed: an answer about
 * nothing would look like one about something (L5).
 */
enum kh_err kh_ask_check(struct kh_op *op, struct kh_query_row *query, bool *ret_yes) KH_CHECKED;

/* The blocks of an ask, with their content. */
enum kh_err kh_ask_blocks(struct kh_op *op, const int64_t *ids, size_t count, struct kh_reader_ask *ask) KH_CHECKED;

/*
 * What the Reader of EFFECT is to get, without the content.  READ: the query of its round if the caller has it already;
 * otherwise NULL, and kh_ask_finish() reads it.  The content is read there in any case, on the caller's thread: it may be
 * large, and the others would wait for it.
 */
enum kh_err kh_ask_prepare(struct kh_op *op, const struct kh_effect_row *effect, struct kh_query_row *query,
			   const struct kh_query *read, struct kh_ask *ask) KH_CHECKED;

#endif
