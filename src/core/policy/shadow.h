/*
 * Finds rules that can never match, because an earlier one covers everything that they are for (SPEC I8).  An operator
 * could take such a rule, above all a denial, for protection.
 */
#ifndef KH_CORE_POLICY_SHADOW_H
#define KH_CORE_POLICY_SHADOW_H

#include "core/policy/settings.h"

/*
 * RULES are of struct kh_policy_rule; their path is PATH ("policy.tools").  KH_EINPUT with code `policy_invalid` and
 * the line of the first rule whose names and agents one earlier rule covers.  A rule that only several earlier rules
 * together cover is not found.
 */
enum kh_err kh_shadow_check(const struct kh_outline_source *source, const struct kh_list *rules, const char *path,
			    struct kh_error *err) KH_CHECKED;

#endif
