/*
 * The plan with which a task enters its execution phase (E1): {"plan":"...","required_operations":[...]}.  An item is a
 * name, or an object with `operation` and parameters, either beside it or in `parameters`.  An operation that the plan
 * does not name needs an approval of its own; what a plan means that names none is for the policy to say (`plan`).
 */
#ifndef KH_CORE_COMM_PLAN_H
#define KH_CORE_COMM_PLAN_H

#include "core/comm/parameter.h"

#define KH_PLAN_TEXT_MAX       16384 /* bytes */
#define KH_PLAN_OPERATIONS_MAX 64

struct kh_plan_item {
	struct kh_operation_name operation;
	struct kh_parameter *parameters; /* those that the plan fixes; none if it names only the operation */
	size_t parameter_count;
};

struct kh_plan {
	struct kh_view text;
	struct kh_plan_item *items;
	size_t item_count;
};

/*
 * Reads a plan.  Everything that is wrong goes to ERRORS; the plan may be used only if ERRORS stays empty.  CHECK: the
 * values of parameters are judged too; a plan that was admitted is not judged again, by rules that may have changed.
 * Borrows from IN.  Fails only for lack of memory.
 */
enum kh_err kh_plan_read(struct kh_arena *arena, yyjson_val *in, bool check, struct kh_plan *ret_plan,
			 struct kh_reasons *errors) KH_CHECKED;

/*
 * Whether PLAN names this operation: an item has its exact name, and every parameter that the item fixes has the same
 * value here.  So a plan to fetch one page does not cover fetching another.
 */
bool kh_plan_names(const struct kh_plan *plan, struct kh_view operation, const struct kh_parameter *parameters,
		   size_t count);

#endif
