/* The table of K6 and the function that reads it. */
#include "core/policy/risk.h"

const struct kh_words kh_risk_words =
	KH_WORDS([KH_RISK_LOW] = "low", [KH_RISK_MODERATE] = "moderate", [KH_RISK_HIGH] = "high");

const struct kh_words kh_risk_ruling_words =
	KH_WORDS([KH_ALLOW] = "allow", [KH_VERIFY] = "verify", [KH_ASK] = "ask", [KH_DENY] = "deny");

const struct kh_risk_table kh_risk_default = {
	.at = {
		[KH_TAINT_LOW] = {[KH_RISK_LOW] = KH_ALLOW, [KH_RISK_MODERATE] = KH_ALLOW, [KH_RISK_HIGH] = KH_VERIFY},
		[KH_TAINT_MEDIUM] =
			{[KH_RISK_LOW] = KH_ALLOW, [KH_RISK_MODERATE] = KH_VERIFY, [KH_RISK_HIGH] = KH_VERIFY},
		[KH_TAINT_HIGH] = {[KH_RISK_LOW] = KH_VERIFY, [KH_RISK_MODERATE] = KH_VERIFY, [KH_RISK_HIGH] = KH_DENY},
	}};

enum kh_ruling kh_risk_decide(const struct kh_risk_table *table, enum kh_taint taint, enum kh_risk risk,
			      bool suspicious)
{
	enum kh_ruling ruling = table->at[taint][risk];

	return ruling == KH_ALLOW && suspicious ? KH_VERIFY : ruling;
}
