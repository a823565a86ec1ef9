/*
 * query.respond: what a Reader sent, judged; then retry, next round, hold, or ready (B4, B10-B18).
 *
 * By Keyhole itself for its drivers, or by a reader's token: then the ask must be that Reader's, and open.  A Reader
 * learns a code of a fixed list and no more.
 */
#ifndef KH_ENGINE_QUERY_RESPOND_H
#define KH_ENGINE_QUERY_RESPOND_H

#include "engine/query/ask.h"

struct kh_respond {
	int64_t effect;               /* in, of Keyhole's own drivers */
	struct kh_view ask;           /* in, of a token: the public id, query_id */
	struct kh_tainted response;   /* any bytes; a message with query_id, or the body alone */
	enum kh_reader_fault fault;   /* in: where there is no response */
	struct kh_view detail;        /* in: of the fault, for humans */
	const struct kh_query *asked; /* in: what its driver was asked, where the caller has that; else NULL */
	/* out */
	const char *code; /* "accepted", "invalid" (asked again), "closed" */
	struct kh_query_row *query;
	struct kh_ask next; /* what to carry out next, a retry or another round, as in admit.h */
};
enum kh_err kh_respond_run(struct kh_op *op, void *call);

/*
 * Not an operation: the ask EFFECT ended without a response.  Asked again, where tries are left, else the query has
 * failed.
 */
enum kh_err kh_respond_fail(struct kh_op *op, struct kh_effect_row *effect, enum kh_reader_fault fault,
			    struct kh_view detail) KH_CHECKED;

#endif
