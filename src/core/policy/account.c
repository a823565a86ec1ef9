/* Sums of a query's account, with overflow checks. */
#include "core/policy/account.h"

#include "core/bcp/bits.h"

enum kh_err kh_account_open(enum kh_release release, uint64_t content, uint64_t deadline_ms, bool may_hold,
			    struct kh_account *ret_account)
{
	struct kh_account account = {.content = content, .outcome = KH_BITS_OUTCOME};
	uint64_t slots = kh_bits_slots(deadline_ms);

	if (release == KH_RELEASE_SLOTS)
		account.time = kh_bits_log2(may_hold ? slots * (slots + 1) / 2 : slots);
	if (__builtin_add_overflow(account.outcome + account.time, content, &account.total))
		return KH_ELIMIT;
	*ret_account = account;
	return KH_OK;
}

uint64_t kh_account_decision(enum kh_release release, uint64_t limit_ms)
{
	return KH_BITS_OUTCOME + (release == KH_RELEASE_SLOTS ? kh_bits_log2(kh_bits_decision_slots(limit_ms)) : 0);
}
