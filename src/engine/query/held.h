/* What a decision does to the query that waited for it: called by approval.decide and by expiry, in their transaction.
 */
#ifndef KH_ENGINE_QUERY_HELD_H
#define KH_ENGINE_QUERY_HELD_H

#include "engine/engine.h"

/* An escalation was approved: the query goes to its Reader. */
enum kh_err kh_held_ask(struct kh_op *op, struct kh_query_row *query) KH_CHECKED;

/* A held answer was approved: it becomes ready as it is. */
enum kh_err kh_held_deliver(struct kh_op *op, struct kh_query_row *query) KH_CHECKED;

/*
 * A held answer was edited: EDITED is judged like an answer (B15), but that what would hold it does not hold it again:
 * a human wrote it.  KH_EREFUSED `bad_edit` with the first reason where it is rejected; then nothing is changed.
 * *RET_NORMALISED is what will be delivered.
 */
enum kh_err kh_held_edit(struct kh_op *op, struct kh_query_row *query, struct kh_tainted edited,
			 struct kh_view *ret_normalised) KH_CHECKED;

/* Rejected, or expired. */
enum kh_err kh_held_end(struct kh_op *op, struct kh_query_row *query, enum kh_outcome outcome,
			const char *reason) KH_CHECKED;

#endif
