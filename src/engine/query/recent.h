/*
 * The texts that a context was given last (B13, B21), because an instruction can come in pieces and over several tasks.
 */
#ifndef KH_ENGINE_QUERY_RECENT_H
#define KH_ENGINE_QUERY_RECENT_H

#include "core/bcp/answer.h"
#include "engine/state/op.h"

#define KH_RECENT_DELIVERIES 8

/*
 * The answers of the context's latest deliveries with text since its last reset, oldest first, one text for each
 * delivery.
 */
enum kh_err kh_recent_texts(struct kh_op *op, const struct kh_context_row *context,
			    struct kh_recent *ret_recent) KH_CHECKED;

/*
 * The same, followed by what is ready for the context and leaves at its slot.  Pieces that are answered at the same
 * time have not been delivered yet when each is judged, but together they can still make one instruction.
 */
enum kh_err kh_recent_coming(struct kh_op *op, const struct kh_context_row *context,
			     struct kh_recent *ret_recent) KH_CHECKED;

#endif
