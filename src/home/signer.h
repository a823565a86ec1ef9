/*
 * Makes the checkpoints of a gateway, in a thread of its own (L3): after the configured number of events, begun by the
 * commit that reaches it, and after the configured time if there are new events.  The store's thread only says what it
 * committed, and stores the result with its next commit.
 */
#ifndef KH_HOME_SIGNER_H
#define KH_HOME_SIGNER_H

#include "home/checkpoints.h"

#include <stdatomic.h>

struct kh_signer;

/*
 * Starts the thread.  CHECKPOINTS is the thread's until kh_signer_stop().  CONFIG is read before each checkpoint, so
 * that a reload changes its numbers.
 */
enum kh_err kh_signer_start(struct kh_checkpoints *checkpoints, const _Atomic(const struct kh_config *) *config,
			    struct kh_signer **ret_signer, struct kh_error *err) KH_CHECKED;

/* Ends the thread.  What is not covered yet is left to the caller.  NULL is fine. */
void kh_signer_stop(struct kh_signer *signer);

#endif
