/*
 * Rules that can never be reached, because an earlier one takes everything that they are for (SPEC I8): what stands in
 * such a rule, a denial above all, could be taken for protection.
 */
#ifndef KH_CORE_POLICY_SHADOW_H
#define KH_CORE_POLICY_SHADOW_H

#include "core/policy/settings.h"

/*
 * RULES are of struct kh_policy_rule, and stand at PATH ("policy.tools").  KH_EINPUT with code `policy_invalid` and the
 * line of the first rule whose names and agents one earlier rule covers.  What only several together cover is not
 * found.
 */
enum kh_err kh_shadow_check(const struct kh_outline_source *source, const struct kh_list *rules, const char *path,
			    struct kh_error *err) KH_CHECKED;

#endif
