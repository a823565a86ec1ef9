/*
 * What a worker may say about why it stopped: only the sentences of one list.
 *
 * An attacker who has taken over a worker can make it say anything, and what it says is shown to humans, in logs and
 * perhaps to an agent.  So the executor passes a sentence on only if it is one of these: the worker can choose among
 * them but not write its own.
 */
#ifndef KH_WIRE_CLAIM_H
#define KH_WIRE_CLAIM_H

#include "wire/fault.h"

/* The sentence of the list that equals TEXT, or NULL. */
const char *kh_claim_find(struct kh_view text);

/* True for a fault that a worker may report about its exchange.  It cannot know of others, and it is not trusted.
 * HEADED: the response has begun, without which nothing can end well. */
bool kh_claim_may(enum kh_fault fault, bool headed);

/* The same for a call of an upstream, which is also told why there is no connection. */
bool kh_claim_may_call(enum kh_fault fault, bool headed);

#endif
