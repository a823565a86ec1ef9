/* Capability tiers T0-T3 and their limits (SPEC E5, COMPAT.md section 3), and the effects that tools can have. */
#ifndef KH_CORE_POLICY_TIER_H
#define KH_CORE_POLICY_TIER_H

#include "base/words.h"
#include "core/comm/operation.h"
#include "core/policy/quota.h"

enum kh_tier {
	KH_TIER_0,    /* local extension */
	KH_TIER_1,    /* local MCP server */
	KH_TIER_2,    /* remote MCP server */
	KH_TIER_3,    /* MCP server in a cloud */
	KH_TIER_AUTO, /* in a policy: by how the tool is reached */
};
extern const struct kh_words kh_tier_words; /* T0, T1, T2, T3, auto */

extern const struct kh_words kh_tier_effect_words;

enum kh_tier_admin { KH_ADMIN_NO, KH_ADMIN_IF_EFFECTS, KH_ADMIN_YES };

struct kh_tier_limits {
	struct kh_rate rate;
	uint32_t concurrent;
	uint32_t seconds;         /* run time of one call */
	enum kh_effect effects;   /* the worst effect that is permitted */
	enum kh_tier_admin admin; /* whether an admin must have agreed */
};

/* The limits of a tier, which must not be KH_TIER_AUTO. */
const struct kh_tier_limits *kh_tier_limits(enum kh_tier tier);

/* True if a call with EFFECT in this tier needs an admin's agreement. */
bool kh_tier_needs_admin(enum kh_tier tier, enum kh_effect effect);

#endif
