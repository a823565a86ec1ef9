/*
 * query.respond: what a Reader sent, judged; then retry, next round, hold, or ready (B4, B10-B18).
 *
 * By Keyhole itself for its drivers, or by a reader's token: then the ask must be that Reader's, and open.  A Reader
 * learns a code of a fixed list and no more.
 */
#ifndef KH_ENGINE_RESPOND_H
#define KH_ENGINE_RESPOND_H

#include "engine/engine.h"

struct kh_respond {
	int64_t effect;             /* in, of Keyhole's own drivers */
	struct kh_view ask;         /* in, of a token: the public id, query_id */
	struct kh_tainted response; /* any bytes; a message with query_id, or the body alone */
	enum kh_reader_fault fault; /* in: where there is no response */
	struct kh_view detail;      /* in: of the fault, for humans */
	/* out */
	const char *code; /* "accepted", "invalid" (asked again), "closed" */
	struct kh_query_row *query;
	int64_t next; /* the effect that follows: a retry or another round; 0: none */
};
enum kh_err kh_respond_run(struct kh_op *op, void *call);

#endif
