/* comm.look: what a Controller may know of its operation (E12, A5): ok or failed, and a block's id. */
#ifndef KH_ENGINE_COMM_LOOK_H
#define KH_ENGINE_COMM_LOOK_H

#include "engine/state/op.h"

/* What a Controller may know of an operation (E12). */
struct kh_comm_look {
	enum kh_ended ended; /* KH_ENDED_NOT: not yet */
	struct kh_view id;   /* the declaration's public id */
	struct kh_view task;
	struct kh_view operation, parameters; /* its own words, or those of the reviewer who changed them; JSON */
	bool modified;                        /* a reviewer put this one in the place of what was declared (E6) */
	struct kh_view approval;              /* where a human is waited for */
	struct kh_view block;                 /* where it ended well: the sealed block */
	struct kh_view fenced; /* the fence's JSON (fence.h), where the policy and the caller wanted it: the context's
				  taint is high from now on (E12) */
	int64_t due; /* when to look again at the earliest; 0: when somebody has acted.  Not for the Controller */
	struct kh_declaration_row *row;
};

/* Controller, host, reviewer, admin.  Looking makes a due outcome happen.  KH_EREFUSED `no_declaration` for an approval
 * that is about none, `several_declarations` for one that is about more than one. */
struct kh_comm_looking {
	struct kh_view declaration; /* public id; or */
	struct kh_view approval;
	struct kh_comm_look look;
};
enum kh_err kh_comm_look_run(struct kh_op *op, void *call);

/* Not operations.  The declaration of this public id, a declaration's or an approval's, where the caller may see it;
 * one that a reviewer has put another in the place of is that other. */
enum kh_err kh_comm_look_find(struct kh_op *op, struct kh_view id, struct kh_declaration_row **ret_row) KH_CHECKED;

/* What may be known of ROW, as it is. */
enum kh_err kh_comm_look_at(struct kh_op *op, struct kh_declaration_row *row, struct kh_comm_look *ret_look) KH_CHECKED;

#endif
