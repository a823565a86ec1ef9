/*
 * The texts that a context was given last (B13, B21), because an instruction can come in pieces and over several tasks.
 *
 * Which they are is known from ids.  Their text is loaded only if it has not been read yet, and is read outside of the
 * transaction.
 */
#ifndef KH_ENGINE_QUERY_RECENT_H
#define KH_ENGINE_QUERY_RECENT_H

#include "core/bcp/answer.h"
#include "engine/state/op.h"

#define KH_RECENT_DELIVERIES 8

/* Deliveries, oldest first, and then queries that are ready.  What an id stands for does not change. */
struct kh_recent_ids {
	int64_t *at;
	size_t deliveries; /* ids of blocks */
	size_t n;          /* of all; the rest are ids of queries */
};

/* The context's latest deliveries with text since its last reset. */
enum kh_err kh_recent_given(struct kh_op *op, const struct kh_context_row *context,
			    struct kh_recent_ids *ret_ids) KH_CHECKED;

/*
 * The same, followed by what is ready for the context and leaves at its slot.  Pieces that are answered at the same
 * time have not been delivered yet when each is judged, but together they can still make one instruction.
 */
enum kh_err kh_recent_coming(struct kh_op *op, const struct kh_context_row *context,
			     struct kh_recent_ids *ret_ids) KH_CHECKED;

/* Their responses, as JSON, in the same order. */
enum kh_err kh_recent_load(struct kh_op *op, const struct kh_recent_ids *ids,
			   const struct kh_view **ret_responses) KH_CHECKED;

/* The words of the responses: a summary, or the answers in order; one text for each.  Outside of the transaction. */
enum kh_err kh_recent_read(struct kh_arena *arena, const struct kh_view *responses, size_t count,
			   struct kh_recent *ret_recent, struct kh_error *err) KH_CHECKED;

#endif
