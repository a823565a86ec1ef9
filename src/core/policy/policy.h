/*
 * The policy: what the operator decided, read from the `policy:` section of keyhole.yaml (SPEC I8).
 *
 * Every value has a default, and the default policy is a usable one: nothing runs without a human that the operator has
 * not allowed.  docs/use/POLICY.md says what each key means; a test holds it against the table in keys.c.  A policy
 * never changes after it was read; its version is the digest of its canonical JSON, defaults included (A2), so two
 * files that mean the same are the same policy.
 */
#ifndef KH_CORE_POLICY_POLICY_H
#define KH_CORE_POLICY_POLICY_H

#include "core/policy/settings.h"

/* For config.c: a policy as it is before anything was read into it; and, after that, what does not fit together is
 * found (`policy_invalid`), and the digest made. */
void kh_policy_start(struct kh_policy *policy);
enum kh_err kh_policy_finish(const struct kh_outline_source *source, struct kh_policy *policy,
			     struct kh_error *err) KH_CHECKED;

/* Its canonical JSON: what the digest is of. */
enum kh_err kh_policy_canonical(struct kh_arena *arena, const struct kh_policy *policy, struct kh_view *ret_text,
				struct kh_error *err) KH_CHECKED;

/*
 * The rule for an operation called by the token named AGENT (empty: one that no rule names): one of Keyhole's own
 * by `operations`, an upstream tool (`server__tool` or `comm.mcp.server.tool`) by `tools`; else a built-in one.  Never
 * NULL.  *RET_PATH: where it stands ("policy.tools[2]", "default").
 */
const struct kh_policy_rule *kh_policy_rule(const struct kh_policy *policy, struct kh_arena *arena,
					    struct kh_view operation, struct kh_view agent, struct kh_view *ret_path);

/* The rate of queries of CATEGORY (1-3) to READER. */
struct kh_rate kh_policy_reader_rate(const struct kh_policy *policy, struct kh_view reader, unsigned category);

/* The extra rules as the screen takes them, NUL-terminated, in the arena. */
enum kh_err kh_policy_screen_rules(struct kh_arena *arena, const struct kh_policy *policy,
				   const struct kh_rule **ret_rules, size_t *ret_count) KH_CHECKED;

#endif
