/*
 * A declaration as the gates see it: the row, which may not be in a table yet, with its parameters parsed and the
 * blocks that they refer to looked up.
 */
#ifndef KH_ENGINE_COMM_PROPOSE_H
#define KH_ENGINE_COMM_PROPOSE_H

#include "core/policy/permit.h"
#include "engine/state/beforehand.h"

struct kh_proposal {
	struct kh_declaration_row row;          /* id 0: it is not in a table */
	struct kh_view task_id;                 /* public */
	yyjson_val *parameters;                 /* the row's, parsed */
	const struct kh_permit_origin *origins; /* of the sealed blocks that the parameters refer to (K8) */
	size_t origin_count;
	bool planned;             /* the task's plan names it, or there is none yet (E1) */
	struct kh_reasons review; /* what the screen found in the declaration (E3) */
};

/*
 * Reads a message in any of the forms of E3 for TASK.  KH_EINPUT with the first fault, or KH_EREFUSED if a block that
 * it refers to is not the caller's, not sealed or purged.
 */
enum kh_err kh_propose_read(struct kh_op *op, const struct kh_task_row *task, yyjson_val *declaration,
			    struct kh_proposal **ret_proposals, size_t *ret_count) KH_CHECKED;

/* Does before the transaction what kh_propose_read() needs, if the message names its TASK (public id); else nothing. */
enum kh_err kh_propose_prepare(struct kh_prepare *at, yyjson_val *declaration, struct kh_view task) KH_CHECKED;

/* E3 as a gate: what kh_propose_read() refused, with WHY and op->err, is denied and recorded like any other denial. */
enum kh_err kh_propose_refuse(struct kh_op *op, struct kh_task_row *task, enum kh_err why) KH_CHECKED;

/* The proposal of an existing row. */
enum kh_err kh_propose_again(struct kh_op *op, const struct kh_task_row *task, const struct kh_declaration_row *row,
			     struct kh_proposal *ret_proposal) KH_CHECKED;

/*
 * The same with other parameters (E6), which a reviewer put in place of ROW's.  KH_EINPUT if they do not fit the
 * operation.
 */
enum kh_err kh_propose_changed(struct kh_op *op, const struct kh_task_row *task, const struct kh_declaration_row *row,
			       yyjson_val *parameters, struct kh_proposal *ret_proposal) KH_CHECKED;

/*
 * The parameters with every reference replaced by the block's content, verified by its attribution (E10, K8).
 * KH_ECHANGED if a block is not what was sealed.
 */
enum kh_err kh_propose_fill(struct kh_op *op, const struct kh_proposal *proposal,
			    yyjson_val **ret_parameters) KH_CHECKED;

#endif
