/* Values of an operation's parameters: each kind with its rule, every problem reported with the member's path (E3). */
#ifndef KH_CORE_COMM_PARAMETER_H
#define KH_CORE_COMM_PARAMETER_H

#include "base/json.h"
#include "core/comm/operation.h"

/* A parameter of a declaration, as it was given.  Borrowed from the declaration's JSON. */
struct kh_parameter {
	struct kh_view name;
	yyjson_val *value;
	struct kh_view path; /* its path in the declaration, for messages */
};

/*
 * Reports what is wrong with PARAMETER by SPEC.  Fails only for lack of memory.  A query, and an item of `params` or
 * `args`, may be {"$block": id} in place of its text (K8): the policy decides whether that content may be sent there.
 */
enum kh_err kh_parameter_check(const struct kh_parameter_spec *spec, const struct kh_parameter *parameter,
			       struct kh_reasons *errors) KH_CHECKED;

#endif
