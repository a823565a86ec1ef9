/*
 * upstream.lease, upstream.release and upstream.wanted (called by Keyhole itself): which process runs an upstream server
 * for a context, if several have the store open (U1).
 *
 * A process takes the lease before it starts the server, and gives it back when the server has ended.  A lease whose holder
 * has died is taken over.  One whose holder lives is only asked for: the holder gives it back when no call needs the server.
 */
#ifndef KH_ENGINE_UPSTREAM_LEASE_H
#define KH_ENGINE_UPSTREAM_LEASE_H

#include "engine/state/op.h"

struct kh_lease_of {
	struct kh_view server; /* its name in the configuration */
	int64_t context;       /* a row; 0: all contexts share the server */
};

struct kh_lease_take {
	struct kh_lease_of of;
	/* out */
	bool is_taken; /* this process has it */
	bool is_heir;  /* its holder before has died: what that ran may be dying still */
};
enum kh_err kh_lease_take_run(struct kh_op *op, void *call);

/* The call is a struct kh_lease_of.  Nothing happens if another process has it. */
enum kh_err kh_lease_give_run(struct kh_op *op, void *call);

/* Those that this process has and another one waits for. */
struct kh_lease_wanted {
	struct kh_lease_of *list; /* out */
	size_t count;
};
enum kh_err kh_lease_wanted_run(struct kh_op *op, void *call);

#endif
