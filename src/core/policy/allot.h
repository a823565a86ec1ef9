/*
 * What one external operation may use at most (E7): `limits` of the policy, or those of a command of comm.exec in their
 * place.  The bounds of each are fixed (keys.c).  Everything that depends on a time limit, the slots of its outcome and
 * what they cost among it, is computed from the number that is found here.
 */
#ifndef KH_CORE_POLICY_ALLOT_H
#define KH_CORE_POLICY_ALLOT_H

#include "core/comm/errand.h"
#include "core/policy/settings.h"

/* The limits of a call of OPERATION with PARAMETERS, permitted by RULE, before its tier shortens the time. */
struct kh_errand_limits kh_allot_of(const struct kh_policy *policy, const struct kh_policy_rule *rule,
				    const struct kh_operation *operation, yyjson_val *parameters);

/* MOST, or what LIMITS says of output if that is less. */
size_t kh_allot_output(const struct kh_errand_limits *limits, size_t most);

#endif
