/* The table of all keys of keyhole.yaml (SPEC I8), and what a rule begins as. */
#ifndef KH_CORE_POLICY_KEYS_H
#define KH_CORE_POLICY_KEYS_H

#include "core/policy/settings.h"

extern const struct kh_shape kh_keys_config; /* of struct kh_config: what docs/use/CONFIGURATION.md describes */
extern const struct kh_shape kh_keys_policy; /* its section `policy`: what docs/use/POLICY.md describes */

extern const struct kh_words kh_keys_scope_words; /* of enum kh_scope */

/* What holds for an operation before a rule says anything. */
void kh_keys_start(const struct kh_operation *operation, struct kh_policy_rule *ret_rule);

#endif
