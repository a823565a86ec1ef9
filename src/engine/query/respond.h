/*
 * query.respond: judges what a Reader sent; then retry, next round, hold, or ready (B4, B10-B18).
 *
 * Keyhole itself calls it for its drivers, or an agent with a reader's token does; then the ask must belong to that
 * Reader and be open.  The Reader is told only a code of a fixed list.
 */
#ifndef KH_ENGINE_QUERY_RESPOND_H
#define KH_ENGINE_QUERY_RESPOND_H

#include "engine/query/ask.h"
#include "engine/state/beforehand.h"

struct kh_respond {
	int64_t effect;               /* in, for Keyhole's own drivers */
	struct kh_view ask;           /* in, for a token: the public id, query_id */
	struct kh_tainted response;   /* any bytes; a message with query_id, or only the body */
	enum kh_reader_fault fault;   /* in: if there is no response */
	struct kh_view detail;        /* in: of the fault, for humans */
	const struct kh_query *asked; /* in: what its driver was asked, if the caller has that; otherwise NULL */
	/* out */
	const char *code; /* "accepted", "invalid" (asked again), "closed" */
	const char *why;  /* of "invalid": the code of the first reason, or of the fault (B16); otherwise NULL */
	struct kh_query_row *query;
	struct kh_ask next; /* what to carry out next, a retry or another round, as in admit.h */
};
enum kh_err kh_respond_run(struct kh_op *op, void *call);
enum kh_err kh_respond_prepare(struct kh_prepare *at, void *call);
enum kh_err kh_respond_finish(struct kh_engine *engine, struct kh_arena *arena, void *call, struct kh_error *err);

/*
 * Not an operation: the ask EFFECT ended without a response.  Asks again if tries are left; otherwise the query has
 * failed.
 */
enum kh_err kh_respond_fail(struct kh_op *op, struct kh_effect_row *effect, enum kh_reader_fault fault,
			    struct kh_view detail) KH_CHECKED;

#endif
