/*
 * query.due (called by Keyhole itself): ends outcomes whose slot has come, queries past their deadline, decisions whose
 * slot has come, approvals past their expiry, and asks that an agent took and never answered.  At most KH_DUE_MOST at a time: if somebody leaves
 * thousands of queries open, the others must not wait for one long transaction.
 */
#ifndef KH_ENGINE_DUE_H
#define KH_ENGINE_DUE_H

#include "engine/state/op.h"

#define KH_DUE_MOST 256

struct kh_due {
	int64_t next; /* out: the earliest time at which something will be due; 0: nothing waits */
	size_t count; /* out: how many were ended */
	bool more;    /* out: there are more; call again */
};
enum kh_err kh_due_run(struct kh_op *op, void *call);

#endif
