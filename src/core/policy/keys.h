/* The table of all keys of keyhole.yaml (SPEC I8), and the values that a rule starts with. */
#ifndef KH_CORE_POLICY_KEYS_H
#define KH_CORE_POLICY_KEYS_H

#include "core/policy/settings.h"

extern const struct kh_shape kh_keys_config; /* of struct kh_config; docs/use/CONFIGURATION.md describes it */
extern const struct kh_shape kh_keys_policy; /* its section `policy`; docs/use/POLICY.md describes it */

/* The built-in rule of an operation, which a rule of the file changes. */
void kh_keys_start(const struct kh_operation *operation, struct kh_policy_rule *ret_rule);

#endif
