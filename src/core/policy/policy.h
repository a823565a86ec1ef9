/*
 * The operator's policy, read from the `policy:` section of keyhole.yaml (SPEC I8).
 *
 * Every value has a default, and the default policy is usable: everything that the operator has not allowed needs a
 * human's approval. docs/use/POLICY.md says what each key means; a test compares it with the table in keys.c.  A policy
 * never changes after it was read; its version is the digest of its canonical JSON, defaults included (A2), so two
 * files with the same meaning have the same version.
 */
#ifndef KH_CORE_POLICY_POLICY_H
#define KH_CORE_POLICY_POLICY_H

#include "core/policy/settings.h"

/*
 * For config.c. kh_policy_start() sets the values before anything is read into the policy. kh_policy_finish() then
 * reports what does not fit together (`policy_invalid`) and makes the digest.
 */
void kh_policy_start(struct kh_policy *policy);
enum kh_err kh_policy_finish(const struct kh_outline_source *source, struct kh_policy *policy,
			     struct kh_error *err) KH_CHECKED;

/* Its canonical JSON, which the digest is computed from. */
enum kh_err kh_policy_canonical(struct kh_arena *arena, const struct kh_policy *policy, struct kh_view *ret_text,
				struct kh_error *err) KH_CHECKED;

/* {"digest", "policy"}, for whoever may see it. */
enum kh_err kh_policy_json(struct kh_arena *arena, const struct kh_policy *policy, struct kh_view *ret_json,
			   struct kh_error *err) KH_CHECKED;

/*
 * The rule for an operation called with the token named AGENT (empty: a token that no rule names).  Operations of
 * Keyhole's own are looked up in `operations`, upstream tools (`server__tool` or `comm.mcp.server.tool`) in `tools`; if
 * nothing matches, the result is a built-in rule.  Never NULL. *RET_PATH: the rule's path in the file
 * ("policy.tools[2]", "default").
 */
const struct kh_policy_rule *kh_policy_rule(const struct kh_policy *policy, struct kh_arena *arena,
					    struct kh_view operation, struct kh_view agent, struct kh_view *ret_path);

/*
 * The tier of a call of OPERATION with PARAMETERS under RULE, if nobody says how it is reached: by the upstream server that
 * it goes to; if that is not known, the strictest.
 */
enum kh_tier kh_policy_tier(const struct kh_policy *policy, const struct kh_policy_rule *rule, struct kh_view operation,
			    yyjson_val *parameters);

/* The rate of queries of CATEGORY (1-3) to READER. */
struct kh_rate kh_policy_reader_rate(const struct kh_policy *policy, struct kh_view reader, unsigned category);

/* The extra rules as the screen takes them, NUL-terminated, in the arena. */
enum kh_err kh_policy_screen_rules(struct kh_arena *arena, const struct kh_policy *policy,
				   const struct kh_rule **ret_rules, size_t *ret_count) KH_CHECKED;

#endif
