/* The table of all keys of keyhole.yaml (SPEC I8), and the rules that are built in. */
#ifndef KH_CORE_POLICY_KEYS_H
#define KH_CORE_POLICY_KEYS_H

#include "core/policy/settings.h"

extern const struct kh_shape kh_keys_config; /* of struct kh_config: what docs/use/CONFIGURATION.md describes */
extern const struct kh_shape kh_keys_policy; /* its section `policy`: what docs/use/POLICY.md describes */

extern const struct kh_words kh_keys_scope_words; /* of enum kh_scope */

/* The built-in rule for one of Keyhole's own external operations; that for upstream tools for everything else. */
const struct kh_policy_rule *kh_keys_built_in(struct kh_view operation);

/* True for comm.search, comm.fetch, comm.query, comm.read and comm.exec. */
bool kh_keys_is_operation(struct kh_view name);

#endif
