/*
 * What a worker may say of why it stopped: sentences of one list, and no others.
 *
 * A worker that the world has taken over can say anything; what it says ends up before humans, in logs and perhaps
 * before an agent.  So the executor passes on a sentence only if it is one of these, which leaves it a choice and no
 * words.
 */
#ifndef KH_WIRE_CLAIM_H
#define KH_WIRE_CLAIM_H

#include "base/view.h"

/* The sentence of the list that TEXT is, or NULL. */
const char *kh_claim_find(struct kh_view text);

#endif
