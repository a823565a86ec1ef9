/* comm.look: what a Controller may know about its operation (E12, A5): ok or failed, and a block's id. */
#ifndef KH_ENGINE_COMM_LOOK_H
#define KH_ENGINE_COMM_LOOK_H

#include "engine/state/op.h"

/* What a Controller may know about an operation (E12). */
struct kh_comm_look {
	enum kh_ended ended; /* KH_ENDED_NOT: not yet */
	struct kh_view id;   /* the declaration's public id */
	struct kh_view task;
	struct kh_view operation, parameters; /* as the Controller wrote them, or the reviewer who changed them; JSON */
	bool modified;                        /* a reviewer put this one in place of what was declared (E6) */
	struct kh_view approval;              /* if a human is waited for */
	bool held;                            /* one is, because the tool has changed (U4): calls share that approval */
	struct kh_view block;                 /* the sealed block: if it ended well, or an upstream's tool failed */
	enum kh_trust trust;                  /* of the block */
	enum kh_taint taint;
	struct kh_view content; /* of a tool whose rule vets its results (U6): all of the block; p NULL: it is sealed */
	/* The fence's JSON (fence.h), if the policy and the caller wanted it: the context's taint is high from now on
	 * (E12). */
	struct kh_view fenced;
	int64_t due; /* when to look again at the earliest; 0: when somebody has acted.  Not for the Controller */
	struct kh_declaration_row *row;
};

/*
 * Controller, host, reviewer, admin.  A look also releases an outcome that is due.  KH_EREFUSED `no_declaration` for an
 * approval that is not about a declaration, `several_declarations` for one that is about more than one.
 */
struct kh_comm_looking {
	struct kh_view declaration; /* public id; or */
	struct kh_view approval;
	struct kh_view context; /* of a host's own tool (hostcall.h): the context that it is of; empty: any */
	struct kh_comm_look look;
};
enum kh_err kh_comm_look_run(struct kh_op *op, void *call);

/*
 * Not operations.  The declaration that a public id (its own or its approval's) names, if the caller may see it.  If a
 * reviewer has replaced it, the replacement.
 */
enum kh_err kh_comm_look_find(struct kh_op *op, struct kh_view id, struct kh_declaration_row **ret_row) KH_CHECKED;

/* What may be known about ROW now. */
enum kh_err kh_comm_look_at(struct kh_op *op, struct kh_declaration_row *row, struct kh_comm_look *ret_look) KH_CHECKED;

#endif
