/*
 * What a rule of `policy.tools` says beyond a rule about an operation (SPEC U5 to U7): which parameters decide where
 * content goes, what a Controller gets of a result, and which of its members are typed.
 */
#ifndef KH_CORE_POLICY_TOOLRULE_H
#define KH_CORE_POLICY_TOOLRULE_H

#include "core/policy/settings.h"

extern const struct kh_shape kh_toolrule_member; /* of struct kh_policy_member */
extern const struct kh_words kh_toolrule_results_words, kh_toolrule_elicitation_words;

/*
 * Reports what does not fit together in the rules of `policy.tools` (KH_EINPUT, `policy_invalid`): a parameter that is
 * control and content, members without typed results, a member whose keys do not fit its type, `fenced` without the
 * policy's.
 */
enum kh_err kh_toolrule_check(const struct kh_outline_source *source, const struct kh_policy *policy,
			      struct kh_error *err) KH_CHECKED;

/*
 * The server that a rule's glob names: what stands before `__`.  False if the glob can be of several servers, because it
 * has a `*` there.
 */
bool kh_toolrule_server(struct kh_view name, struct kh_view *ret_server);

/* Whether a rule that can be of a tool of SERVER lets a human answer what that server asks (U3). */
bool kh_toolrule_elicits(const struct kh_policy *policy, struct kh_view server);

#endif
