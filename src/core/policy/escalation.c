/* Arithmetic of escalations. */
#include "core/policy/escalation.h"

#include "core/bcp/bits.h"

bool kh_escalation_is(unsigned category, uint64_t microbits, unsigned lowest)
{
	if (category >= 3 || (lowest != 0 && category > lowest))
		return true;
	return category == 1 && microbits > KH_BITS_ESCALATION;
}

enum kh_escalation kh_escalation_take(bool escalation, uint64_t used, uint64_t limit)
{
	if (!escalation)
		return KH_ESCALATION_NONE;
	return used < limit ? KH_ESCALATION_TAKEN : KH_ESCALATION_FAILS;
}
