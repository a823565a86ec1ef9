/* How dangerous a tool is, and the ruling that follows from that and the context's taint (SPEC K6). */
#ifndef KH_CORE_POLICY_RISK_H
#define KH_CORE_POLICY_RISK_H

#include "base/words.h"
#include "core/block/label.h"
#include "core/comm/operation.h"

extern const struct kh_words kh_risk_words;

/* The result of a decision, from the most permissive to the strictest. */
enum kh_ruling {
	KH_ALLOW,
	KH_VERIFY, /* verification first (K7) */
	KH_ASK,    /* a human's approval first (A2) */
	KH_DENY,
};
extern const struct kh_words kh_risk_ruling_words;

/* The table: by taint, then by risk.  Its cells are KH_ALLOW, KH_VERIFY or KH_DENY. */
struct kh_risk_table {
	enum kh_ruling at[3][3];
	unsigned line; /* of the policy's file; 0: built in */
};

/* The table of K6. */
extern const struct kh_risk_table kh_risk_default;

/* The table's ruling.  If the first tier of verification found something (SUSPICIOUS), KH_ALLOW becomes KH_VERIFY. */
enum kh_ruling kh_risk_decide(const struct kh_risk_table *table, enum kh_taint taint, enum kh_risk risk,
			      bool suspicious);

#endif
