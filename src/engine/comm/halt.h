/*
 * Everything is stopped (U8): a human has had enough.  Until a human says go, no external operation is begun, whatever
 * has been approved, and whoever runs upstream servers ends them.  What runs already ends by itself.
 */
#ifndef KH_ENGINE_COMM_HALT_H
#define KH_ENGINE_COMM_HALT_H

#include "engine/state/op.h"

struct kh_halt {
	bool changed; /* out: it was not so before */
};

/* system.stop, system.go (reviewer, admin; CALL is a struct kh_halt).  Each is recorded, if it changes anything. */
enum kh_err kh_halt_stop_run(struct kh_op *op, void *call);
enum kh_err kh_halt_go_run(struct kh_op *op, void *call);

/* Not an operation: whether everything is stopped. */
enum kh_err kh_halt_is(struct kh_op *op, bool *ret_yes) KH_CHECKED;

#endif
