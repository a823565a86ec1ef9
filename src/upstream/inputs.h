/*
 * `input_required` (2026-07-28): a server of the new generation answers a call with what it needs first, and is called
 * again with the answers (U3).  A human may be asked for one elicitation of a round; others are declined.  We have no
 * roots.  Nothing answers a request for a model, or one that is not known: then the call has failed.
 */
#ifndef KH_UPSTREAM_INPUTS_H
#define KH_UPSTREAM_INPUTS_H

#include "base/json.h"
#include "upstream/inquiry.h"

#define KH_INPUTS_ROUNDS 4  /* that a call may have */
#define KH_INPUTS_MOST   16 /* requests of one round */

struct kh_inputs {
	struct kh_arena *arena;
	struct kh_inquiry *inquiry; /* NULL: every elicitation is declined */
	yyjson_mut_doc *doc;        /* for: */
	yyjson_mut_val *responses, *state;
	/* private */
	struct kh_view asked; /* the name of the one that a human is asked for; empty: none */
};

/*
 * Reads MESSAGE, the response to a call.  True if it asks for input that can be given: then what is known already is in
 * `responses`, a human is asked for the rest, and `state` (which may be NULL) goes back as it came.
 */
bool kh_inputs_read(struct kh_inputs *inputs, struct kh_tainted message);

/* True if nothing is waited for any more: `responses` is whole. */
bool kh_inputs_look(struct kh_inputs *inputs);

#endif
