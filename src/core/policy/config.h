/*
 * All of keyhole.yaml (SPEC I8): the policy, the Readers, how the audit is kept, and how clients reach the gateway.
 *
 * Every value has a default; an empty file is a usable configuration.  docs/use/POLICY.md says what the keys of
 * `policy` mean, docs/use/CONFIGURATION.md those of all others; tests compare both with the tables in keys.c.  A
 * configuration never changes after it was read.  The core opens no file and starts no program: whoever uses a path
 * finds out whether it exists and is what it should be.
 */
#ifndef KH_CORE_POLICY_CONFIG_H
#define KH_CORE_POLICY_CONFIG_H

#include "core/policy/policy.h"

/*
 * Reads a configuration: a YAML document whose top-level keys are `policy`, `readers`, `audit`, `gateway`,
 * `databases`, `search`, `network`, `verification` and `upstreams`.  FILE names it in messages ("keyhole.yaml:12: ...").  KH_EINPUT
 * with code `policy_invalid`: what is wrong, where, and what was expected.  The configuration lives in the arena.
 */
enum kh_err kh_config_read(struct kh_arena *arena, struct kh_view text, struct kh_view file,
			   const struct kh_config **ret_config, struct kh_error *err) KH_CHECKED;

/*
 * The policy of a file that may have no other section.  If it has no section `databases`, statements may name any
 * database.
 */
enum kh_err kh_config_policy(struct kh_arena *arena, struct kh_view text, struct kh_view file,
			     const struct kh_policy **ret_policy, struct kh_error *err) KH_CHECKED;

/*
 * E1: whether a query to this Reader sends words to a network: a model at a host that is neither this machine's own, by
 * a loopback address or the name localhost, nor called internal.
 */
bool kh_config_is_outside(struct kh_arena *arena, const struct kh_config_reader *reader);

#endif
