/* token.revoke.  It is in this folder because revoking a token ends its tasks and its asks. */
#ifndef KH_ENGINE_TASK_REVOKE_H
#define KH_ENGINE_TASK_REVOKE_H

#include "engine/state/op.h"

/*
 * token.revoke: admin (any), host (those that it made).  The last admin token without an expiry cannot be revoked.  A
 * controller's open tasks are closed; what a Reader was asked and has not answered fails; a host's controllers can do
 * nothing any more.
 */
struct kh_revoke {
	struct kh_view id;
};
enum kh_err kh_revoke_run(struct kh_op *op, void *call);

#endif
