/* token.revoke.  It stands with tasks because a token that goes ends its tasks and its asks. */
#ifndef KH_ENGINE_TASK_REVOKE_H
#define KH_ENGINE_TASK_REVOKE_H

#include "engine/state/op.h"

/*
 * token.revoke: admin any, host those that it made.  The last admin's without an expiry cannot be.  A controller's open
 * tasks are closed; what a Reader was asked and has not answered fails; a host's controllers can do no more.
 */
struct kh_revoke {
	struct kh_view id;
};
enum kh_err kh_revoke_run(struct kh_op *op, void *call);

#endif
