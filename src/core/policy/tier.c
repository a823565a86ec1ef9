/* The table of tiers. */
#include "core/policy/tier.h"

const struct kh_words kh_tier_words = KH_WORDS([KH_TIER_0] = "T0", [KH_TIER_1] = "T1", [KH_TIER_2] = "T2",
					       [KH_TIER_3] = "T3", [KH_TIER_AUTO] = "auto");

const struct kh_words kh_tier_effect_words = KH_WORDS([KH_EFFECT_NONE] = "none", [KH_EFFECT_CHANGE] = "change",
						      [KH_EFFECT_DELETE] = "delete", [KH_EFFECT_PAYMENT] = "payment");

static const struct kh_tier_limits limits[] = {
	[KH_TIER_0] = {{KH_QUOTA_MINUTE, 1000}, 20, 600, KH_EFFECT_PAYMENT, KH_ADMIN_NO},
	[KH_TIER_1] = {{KH_QUOTA_MINUTE, 100}, 10, 300, KH_EFFECT_PAYMENT, KH_ADMIN_NO},
	[KH_TIER_2] = {{KH_QUOTA_MINUTE, 20}, 5, 120, KH_EFFECT_CHANGE, KH_ADMIN_IF_EFFECTS},
	[KH_TIER_3] = {{KH_QUOTA_MINUTE, 10}, 2, 60, KH_EFFECT_NONE, KH_ADMIN_YES},
};

const struct kh_tier_limits *kh_tier_limits(enum kh_tier tier)
{
	return &limits[tier];
}

bool kh_tier_needs_admin(enum kh_tier tier, enum kh_effect effect)
{
	enum kh_tier_admin admin = limits[tier].admin;

	return admin == KH_ADMIN_YES || (admin == KH_ADMIN_IF_EFFECTS && effect != KH_EFFECT_NONE);
}
