/*
 * Asking a Reader: the outbox's entries.
 *
 * ask.begin (Keyhole's own): takes a waiting effect, uses the grant of an escalation (A2), marks it begun where the
 * driver is not pure, and hands out what the Reader is to get.  ask.next (reader): the same for an agent with a
 * reader's token, the oldest that waits for it.
 */
#ifndef KH_ENGINE_ASK_H
#define KH_ENGINE_ASK_H

#include "engine/engine.h"

struct kh_ask {
	int64_t effect; /* in: ask.begin; out: ask.next */
	bool mark;      /* mark it begun */
	/* out */
	bool found; /* ask.next: there was one.  ask.begin: false where it is no longer waiting, or became void */
	struct kh_reader_ask ask;
	struct kh_query_row *query;
};
enum kh_err kh_ask_begin_run(struct kh_op *op, void *call);
enum kh_err kh_ask_next_run(struct kh_op *op, void *call);

/* Not an operation: puts a new effect for QUERY's present round into the outbox. */
enum kh_err kh_ask_put(struct kh_op *op, const struct kh_query_row *query) __attribute__((warn_unused_result));

#endif
