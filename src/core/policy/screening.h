/*
 * The screen's rules together with those that a policy adds (SPEC S3).  A rule of the configuration that does not
 * compile, or that fails its own examples, is an error with its line, like every other mistake in the file (I8).
 */
#ifndef KH_CORE_POLICY_SCREENING_H
#define KH_CORE_POLICY_SCREENING_H

#include "core/policy/policy.h"

/*
 * Compiles the built-in rules and the policy's, and tries the policy's on their examples.  KH_EINPUT with code
 * `policy_invalid`.  The rules borrow from the arena, which must outlive them; free them with kh_rules_free().
 */
enum kh_err kh_screening_new(const struct kh_alloc *alloc, struct kh_arena *arena, const struct kh_policy *policy,
			     struct kh_rules **ret_rules, struct kh_error *err) KH_CHECKED;

#endif
